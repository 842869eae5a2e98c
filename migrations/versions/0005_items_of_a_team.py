"""Items of a team: what they are, how far their verification is, and which items a draw asks"""

import sqlalchemy as sa
from alembic import op

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

# Columns are added one by one and never by copying a table: on SQLite that would drop the old one, and with it, by
# their foreign keys, every row that belongs to it.
TEXTS = {'kind': 40, 'topic': 120}
COUNTS = ('level', 'runs', 'attempts')


def upgrade() -> None:
    for name, length in TEXTS.items():
        op.add_column('team_items', sa.Column(name, sa.String(length=length), nullable=False, server_default=''))
    op.add_column('team_items', sa.Column('warnings', sa.JSON(), nullable=False, server_default='[]'))
    for name in COUNTS:
        op.add_column('team_items', sa.Column(name, sa.Integer(), nullable=False, server_default='0'))
    op.add_column('team_items', sa.Column('verifying_at', sa.DateTime(timezone=True), nullable=True))
    op.add_column('quizzes', sa.Column('frozen_at', sa.DateTime(timezone=True), nullable=True))
    op.execute(
        "ALTER TABLE quiz_slots ADD COLUMN drawn_from VARCHAR(10) DEFAULT 'public' NOT NULL "
        "CONSTRAINT ck_quiz_slots_drawn_from_known CHECK (drawn_from IN ('public', 'own', 'both'))"
    )


def downgrade() -> None:
    op.drop_column('quiz_slots', 'drawn_from')
    op.drop_column('quizzes', 'frozen_at')
    for name in ('verifying_at', 'warnings', *COUNTS, *TEXTS):
        op.drop_column('team_items', name)
