"""All tables, so that importing this package is enough for the metadata to be complete."""

from app.models.attempt import Attempt
from app.models.base import Base
from app.models.person import Person

__all__ = ["Attempt", "Base", "Person"]
