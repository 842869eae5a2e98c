"""People and attempts"""

import sqlalchemy as sa
from alembic import op

revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('people',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_people'))
    )
    op.create_table('attempts',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('person_id', sa.Uuid(), nullable=False),
    sa.Column('nonce', sa.String(length=64), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('seconds', sa.Integer(), nullable=False),
    sa.Column('item_id', sa.String(length=120), nullable=False),
    sa.Column('content_hash', sa.String(length=64), nullable=False),
    sa.Column('kind', sa.String(length=40), nullable=False),
    sa.Column('topic', sa.String(length=120), nullable=False),
    sa.Column('level', sa.Integer(), nullable=False),
    sa.Column('title', sa.String(length=200), nullable=False),
    sa.Column('credit', sa.Float(), nullable=False),
    sa.Column('confidence', sa.String(length=20), nullable=True),
    sa.Column('torch', sa.String(length=40), nullable=False),
    sa.Column('variant', sa.JSON(), nullable=False),
    sa.Column('words', sa.JSON(), nullable=False),
    sa.Column('response', sa.JSON(), nullable=False),
    sa.Column('outcome', sa.JSON(), nullable=False),
    sa.Column('reading', sa.JSON(), nullable=False),
    sa.CheckConstraint("confidence IN ('guess', 'fairly_sure', 'certain')", name=op.f('ck_attempts_confidence_known')),
    sa.CheckConstraint('credit >= 0 AND credit <= 1', name=op.f('ck_attempts_credit_range')),
    sa.CheckConstraint('level >= 1 AND level <= 3', name=op.f('ck_attempts_level_range')),
    sa.ForeignKeyConstraint(['person_id'], ['people.id'], name=op.f('fk_attempts_person_id_people')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_attempts')),
    sa.UniqueConstraint('nonce', name=op.f('uq_attempts_nonce'))
    )
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_attempts_person_id_created_at_id'), ['person_id', 'created_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_attempts_person_id_item_id_created_at'), ['person_id', 'item_id', 'created_at'], unique=False)



def downgrade() -> None:
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_attempts_person_id_item_id_created_at'))
        batch_op.drop_index(batch_op.f('ix_attempts_person_id_created_at_id'))

    op.drop_table('attempts')
    op.drop_table('people')
