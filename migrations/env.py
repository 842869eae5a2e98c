"""Run the migrations on the database that `app.db` hands over."""

from alembic import context

from app.db import Database
from app.models import Base
from app.models.base import UtcDateTime
from app.settings import load_settings


def render_item(kind: str, value: object, _context: object) -> str | bool:
    """Write our own column types as the portable ones they are, so that a migration never imports the models."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(value, UtcDateTime) else False


database: Database = context.config.attributes.get("database") or Database(load_settings().effective_database_url)

with database.engine.connect() as connection:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        render_item=render_item,
    )
    with context.begin_transaction():
        context.run_migrations()
