"""Totals of practice, the day and mode of an attempt, and the beliefs it showed"""

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None

COUNTS = (
    'attempts', 'right', 'guess', 'guess_right', 'fairly_sure', 'fairly_sure_right', 'certain', 'certain_right',
    'under_15', 'under_30', 'under_60', 'under_120', 'under_300', 'longer',
)


def upgrade() -> None:
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.add_column(sa.Column('day', sa.Date(), nullable=True))
        batch_op.add_column(sa.Column('mode', sa.String(length=20), nullable=True))
    op.execute("UPDATE attempts SET day = date(created_at), mode = 'practice'")
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.alter_column('day', existing_type=sa.Date(), nullable=False)
        batch_op.alter_column('mode', existing_type=sa.String(length=20), nullable=False)
        batch_op.create_check_constraint(batch_op.f('ck_attempts_mode_known'), "mode IN ('practice', 'deck', 'check', 'mock')")
        batch_op.drop_index(batch_op.f('ix_attempts_person_id_created_at_id'))
        batch_op.create_index('ix_attempts_listed', ['person_id', 'created_at', 'id', 'topic', 'kind', 'mode'], unique=False)

    op.create_table('practice_totals',
    sa.Column('person_id', sa.Uuid(), nullable=False),
    sa.Column('span', sa.String(length=10), nullable=False),
    sa.Column('start', sa.Date(), nullable=False),
    sa.Column('topic', sa.String(length=120), nullable=False),
    sa.Column('level', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('kind', sa.String(length=40), nullable=False),
    sa.Column('mode', sa.String(length=20), nullable=False),
    sa.Column('belief', sa.String(length=120), nullable=False),
    *(sa.Column(name, sa.Integer(), nullable=False) for name in COUNTS),
    sa.Column('credit', sa.Float(), nullable=False),
    sa.Column('newest', sa.String(length=80), nullable=False),
    sa.ForeignKeyConstraint(['person_id'], ['people.id'], name=op.f('fk_practice_totals_person_id_people'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('person_id', 'span', 'start', 'topic', 'level', 'kind', 'mode', 'belief', name=op.f('pk_practice_totals'))
    )
    op.create_table('attempt_beliefs',
    sa.Column('attempt_id', sa.Uuid(), nullable=False),
    sa.Column('belief', sa.String(length=120), nullable=False),
    sa.Column('person_id', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_attempt_beliefs_attempt_id_attempts'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['person_id'], ['people.id'], name=op.f('fk_attempt_beliefs_person_id_people'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('attempt_id', 'belief', name=op.f('pk_attempt_beliefs'))
    )
    with op.batch_alter_table('attempt_beliefs', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_attempt_beliefs_person_id_belief_created_at'), ['person_id', 'belief', 'created_at'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('attempt_beliefs', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_attempt_beliefs_person_id_belief_created_at'))

    op.drop_table('attempt_beliefs')
    op.drop_table('practice_totals')
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.drop_index('ix_attempts_listed')
        batch_op.create_index(batch_op.f('ix_attempts_person_id_created_at_id'), ['person_id', 'created_at', 'id'], unique=False)
        batch_op.drop_constraint(batch_op.f('ck_attempts_mode_known'), type_='check')
        batch_op.drop_column('mode')
        batch_op.drop_column('day')
