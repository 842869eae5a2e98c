"""Accounts, teams, quizzes and sessions"""

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('audit_entries',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=True),
    sa.Column('actor_id', sa.Uuid(), nullable=True),
    sa.Column('action', sa.String(length=60), nullable=False),
    sa.Column('subject', sa.String(length=120), nullable=False),
    sa.Column('detail', sa.JSON(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_entries'))
    )
    with op.batch_alter_table('audit_entries', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_audit_entries_team_id_at'), ['team_id', 'at'], unique=False)

    op.create_table('deliveries',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=True),
    sa.Column('channel', sa.String(length=20), nullable=False),
    sa.Column('target', sa.String(length=2000), nullable=False),
    sa.Column('subject_id', sa.Uuid(), nullable=True),
    sa.Column('payload', sa.JSON(), nullable=False),
    sa.Column('dedupe', sa.String(length=200), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('next_try_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('tries', sa.Integer(), nullable=False),
    sa.Column('done_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('error', sa.String(length=500), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_deliveries')),
    sa.UniqueConstraint('dedupe', name=op.f('uq_deliveries_dedupe'))
    )
    with op.batch_alter_table('deliveries', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_deliveries_done_at_next_try_at'), ['done_at', 'next_try_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_deliveries_subject_id'), ['subject_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_deliveries_team_id_created_at'), ['team_id', 'created_at'], unique=False)

    op.create_table('leases',
    sa.Column('name', sa.String(length=60), nullable=False),
    sa.Column('holder', sa.String(length=64), nullable=False),
    sa.Column('until', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('name', name=op.f('pk_leases'))
    )
    op.create_table('sign_in_failures',
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('count', sa.Integer(), nullable=False),
    sa.Column('last_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('locked_until', sa.DateTime(timezone=True), nullable=True),
    sa.PrimaryKeyConstraint('key', name=op.f('pk_sign_in_failures'))
    )
    op.create_table('teams',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.String(length=120), nullable=False),
    sa.Column('time_zone', sa.String(length=64), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_teams'))
    )
    op.create_table('accounts',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('person_id', sa.Uuid(), nullable=False),
    sa.Column('email', sa.String(length=254), nullable=False),
    sa.Column('name', sa.String(length=120), nullable=False),
    sa.Column('password_hash', sa.String(length=255), nullable=False),
    sa.Column('time_zone', sa.String(length=64), nullable=False),
    sa.Column('is_admin', sa.Boolean(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['person_id'], ['people.id'], name=op.f('fk_accounts_person_id_people')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_accounts')),
    sa.UniqueConstraint('email', name=op.f('uq_accounts_email')),
    sa.UniqueConstraint('person_id', name=op.f('uq_accounts_person_id'))
    )
    op.create_table('webhook_endpoints',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('url', sa.String(length=2000), nullable=False),
    sa.Column('events', sa.JSON(), nullable=False),
    sa.Column('secret', sa.String(length=500), nullable=False),
    sa.Column('previous_secret', sa.String(length=500), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('disabled_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_webhook_endpoints_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_endpoints'))
    )
    with op.batch_alter_table('webhook_endpoints', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_webhook_endpoints_team_id'), ['team_id'], unique=False)

    op.create_table('api_keys',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.String(length=120), nullable=False),
    sa.Column('scopes', sa.JSON(), nullable=False),
    sa.Column('prefix', sa.String(length=16), nullable=False),
    sa.Column('key_hash', sa.String(length=64), nullable=False),
    sa.Column('sealed', sa.String(length=500), nullable=False),
    sa.Column('callback_hosts', sa.JSON(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=True),
    sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['created_by'], ['accounts.id'], name=op.f('fk_api_keys_created_by_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_api_keys_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_keys')),
    sa.UniqueConstraint('key_hash', name=op.f('uq_api_keys_key_hash'))
    )
    with op.batch_alter_table('api_keys', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_api_keys_team_id'), ['team_id'], unique=False)

    op.create_table('login_sessions',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('account_id', sa.Uuid(), nullable=False),
    sa.Column('token_hash', sa.String(length=64), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('agent', sa.String(length=200), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['accounts.id'], name=op.f('fk_login_sessions_account_id_accounts'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_login_sessions')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_login_sessions_token_hash'))
    )
    with op.batch_alter_table('login_sessions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_login_sessions_account_id_expires_at'), ['account_id', 'expires_at'], unique=False)

    op.create_table('member_invitations',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('email', sa.String(length=254), nullable=False),
    sa.Column('role', sa.String(length=20), nullable=False),
    sa.Column('token_hash', sa.String(length=64), nullable=False),
    sa.Column('invited_by', sa.Uuid(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('accepted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("role IN ('owner', 'author', 'reviewer')", name=op.f('ck_member_invitations_role_known')),
    sa.ForeignKeyConstraint(['invited_by'], ['accounts.id'], name=op.f('fk_member_invitations_invited_by_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_member_invitations_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_member_invitations')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_member_invitations_token_hash'))
    )
    with op.batch_alter_table('member_invitations', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_member_invitations_team_id'), ['team_id'], unique=False)

    op.create_table('memberships',
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('account_id', sa.Uuid(), nullable=False),
    sa.Column('role', sa.String(length=20), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("role IN ('owner', 'author', 'reviewer')", name=op.f('ck_memberships_role_known')),
    sa.ForeignKeyConstraint(['account_id'], ['accounts.id'], name=op.f('fk_memberships_account_id_accounts'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_memberships_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('team_id', 'account_id', name=op.f('pk_memberships'))
    )
    with op.batch_alter_table('memberships', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_memberships_account_id'), ['account_id'], unique=False)

    op.create_table('password_resets',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('account_id', sa.Uuid(), nullable=False),
    sa.Column('token_hash', sa.String(length=64), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['accounts.id'], name=op.f('fk_password_resets_account_id_accounts'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_password_resets')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_password_resets_token_hash'))
    )
    with op.batch_alter_table('password_resets', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_password_resets_account_id'), ['account_id'], unique=False)

    op.create_table('quizzes',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=True),
    sa.Column('state', sa.String(length=20), nullable=False),
    sa.Column('title', sa.String(length=200), nullable=False),
    sa.Column('introduction', sa.String(length=4000), nullable=False),
    sa.Column('minutes', sa.Integer(), nullable=False),
    sa.Column('opens_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('closes_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('window_cuts', sa.Boolean(), nullable=False),
    sa.Column('shuffled', sa.Boolean(), nullable=False),
    sa.Column('verdict_only', sa.Float(), nullable=False),
    sa.Column('repeat_misconceptions', sa.Boolean(), nullable=False),
    sa.Column('show_score', sa.String(length=20), nullable=False),
    sa.Column('show_items', sa.String(length=20), nullable=False),
    sa.Column('pass_mark', sa.Float(), nullable=True),
    sa.Column('retake_days', sa.Integer(), nullable=True),
    sa.Column('ask_reasons', sa.Boolean(), nullable=False),
    sa.Column('signals', sa.Boolean(), nullable=False),
    sa.Column('retention_days', sa.Integer(), nullable=True),
    sa.Column('published_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('pool_wanted', sa.Integer(), nullable=False),
    sa.Column('problem', sa.String(length=500), nullable=False),
    sa.CheckConstraint("show_items IN ('never', 'after_submit', 'after_window')", name=op.f('ck_quizzes_show_items_known')),
    sa.CheckConstraint("show_score IN ('never', 'after_submit', 'after_window')", name=op.f('ck_quizzes_show_score_known')),
    sa.CheckConstraint("state IN ('draft', 'publishing', 'published', 'closed')", name=op.f('ck_quizzes_state_known')),
    sa.CheckConstraint('minutes >= 1 AND minutes <= 480', name=op.f('ck_quizzes_minutes_range')),
    sa.CheckConstraint('opens_at IS NULL OR closes_at IS NULL OR opens_at < closes_at', name=op.f('ck_quizzes_window_order')),
    sa.CheckConstraint('pass_mark IS NULL OR (pass_mark >= 0 AND pass_mark <= 1)', name=op.f('ck_quizzes_pass_mark_range')),
    sa.CheckConstraint('verdict_only >= 0 AND verdict_only <= 1', name=op.f('ck_quizzes_verdict_only_range')),
    sa.ForeignKeyConstraint(['created_by'], ['accounts.id'], name=op.f('fk_quizzes_created_by_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_quizzes_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_quizzes'))
    )
    with op.batch_alter_table('quizzes', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_quizzes_state'), ['state'], unique=False)
        batch_op.create_index(batch_op.f('ix_quizzes_team_id_created_at'), ['team_id', 'created_at'], unique=False)

    op.create_table('team_items',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('item_id', sa.String(length=120), nullable=False),
    sa.Column('content_hash', sa.String(length=64), nullable=False),
    sa.Column('title', sa.String(length=200), nullable=False),
    sa.Column('source', sa.String(length=100000), nullable=False),
    sa.Column('problems', sa.JSON(), nullable=False),
    sa.Column('memorisation', sa.Float(), nullable=True),
    sa.Column('verified_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=True),
    sa.Column('archived_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['created_by'], ['accounts.id'], name=op.f('fk_team_items_created_by_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_team_items_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_team_items')),
    sa.UniqueConstraint('team_id', 'item_id', 'content_hash', name=op.f('uq_team_items_team_id_item_id_content_hash'))
    )
    with op.batch_alter_table('team_items', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_team_items_team_id_created_at'), ['team_id', 'created_at'], unique=False)

    op.create_table('public_links',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('quiz_id', sa.Uuid(), nullable=False),
    sa.Column('token_hash', sa.String(length=64), nullable=False),
    sa.Column('cap', sa.Integer(), nullable=False),
    sa.Column('used', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint('cap >= 1 AND cap <= 100000', name=op.f('ck_public_links_cap_range')),
    sa.CheckConstraint('used >= 0 AND used <= cap', name=op.f('ck_public_links_used_range')),
    sa.ForeignKeyConstraint(['quiz_id'], ['quizzes.id'], name=op.f('fk_public_links_quiz_id_quizzes'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_public_links')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_public_links_token_hash'))
    )
    with op.batch_alter_table('public_links', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_public_links_quiz_id'), ['quiz_id'], unique=False)

    op.create_table('quiz_slots',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('quiz_id', sa.Uuid(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('item_id', sa.String(length=120), nullable=False),
    sa.Column('team_item_id', sa.Uuid(), nullable=True),
    sa.Column('topic', sa.String(length=120), nullable=False),
    sa.Column('kind', sa.String(length=40), nullable=False),
    sa.Column('level', sa.Integer(), nullable=False),
    sa.Column('count', sa.Integer(), nullable=False),
    sa.Column('points', sa.Float(), nullable=False),
    sa.CheckConstraint('count >= 1 AND count <= 50', name=op.f('ck_quiz_slots_count_range')),
    sa.CheckConstraint('level >= 0 AND level <= 3', name=op.f('ck_quiz_slots_level_range')),
    sa.CheckConstraint('points > 0 AND points <= 100', name=op.f('ck_quiz_slots_points_range')),
    sa.ForeignKeyConstraint(['quiz_id'], ['quizzes.id'], name=op.f('fk_quiz_slots_quiz_id_quizzes'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['team_item_id'], ['team_items.id'], name=op.f('fk_quiz_slots_team_item_id_team_items')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_quiz_slots')),
    sa.UniqueConstraint('quiz_id', 'position', name=op.f('uq_quiz_slots_quiz_id_position'))
    )
    op.create_table('rescores',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('quiz_id', sa.Uuid(), nullable=False),
    sa.Column('item_id', sa.String(length=120), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('author_id', sa.Uuid(), nullable=True),
    sa.Column('reason', sa.String(length=1000), nullable=False),
    sa.Column('never_lower', sa.Boolean(), nullable=False),
    sa.Column('retracted', sa.Boolean(), nullable=False),
    sa.Column('readings', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['author_id'], ['accounts.id'], name=op.f('fk_rescores_author_id_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['quiz_id'], ['quizzes.id'], name=op.f('fk_rescores_quiz_id_quizzes'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_rescores'))
    )
    with op.batch_alter_table('rescores', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_rescores_quiz_id'), ['quiz_id'], unique=False)

    op.create_table('invitations',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('quiz_id', sa.Uuid(), nullable=False),
    sa.Column('token_hash', sa.String(length=64), nullable=False),
    sa.Column('email', sa.String(length=254), nullable=False),
    sa.Column('name', sa.String(length=120), nullable=False),
    sa.Column('time_zone', sa.String(length=64), nullable=False),
    sa.Column('extra_percent', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=True),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('sent_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('public_link_id', sa.Uuid(), nullable=True),
    sa.Column('erased_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint('extra_percent >= 0 AND extra_percent <= 400', name=op.f('ck_invitations_extra_range')),
    sa.ForeignKeyConstraint(['created_by'], ['accounts.id'], name=op.f('fk_invitations_created_by_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['public_link_id'], ['public_links.id'], name=op.f('fk_invitations_public_link_id_public_links'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['quiz_id'], ['quizzes.id'], name=op.f('fk_invitations_quiz_id_quizzes'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_invitations')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_invitations_token_hash'))
    )
    with op.batch_alter_table('invitations', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_invitations_quiz_id_created_at'), ['quiz_id', 'created_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_invitations_quiz_id_email'), ['quiz_id', 'email'], unique=False)

    op.create_table('pool_variants',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('quiz_id', sa.Uuid(), nullable=False),
    sa.Column('slot_id', sa.Uuid(), nullable=False),
    sa.Column('item_id', sa.String(length=120), nullable=False),
    sa.Column('team_item_id', sa.Uuid(), nullable=True),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('content_hash', sa.String(length=64), nullable=False),
    sa.Column('kind', sa.String(length=40), nullable=False),
    sa.Column('topic', sa.String(length=120), nullable=False),
    sa.Column('level', sa.Integer(), nullable=False),
    sa.Column('title', sa.String(length=200), nullable=False),
    sa.Column('misconceptions', sa.JSON(), nullable=False),
    sa.Column('torch', sa.String(length=40), nullable=False),
    sa.Column('checked_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('variant', sa.JSON(), nullable=False),
    sa.Column('words', sa.JSON(), nullable=False),
    sa.Column('reading', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['quiz_id'], ['quizzes.id'], name=op.f('fk_pool_variants_quiz_id_quizzes'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['slot_id'], ['quiz_slots.id'], name=op.f('fk_pool_variants_slot_id_quiz_slots'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['team_item_id'], ['team_items.id'], name=op.f('fk_pool_variants_team_item_id_team_items')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_pool_variants')),
    sa.UniqueConstraint('slot_id', 'item_id', 'number', name=op.f('uq_pool_variants_slot_id_item_id_number'))
    )
    with op.batch_alter_table('pool_variants', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_pool_variants_quiz_id_slot_id'), ['quiz_id', 'slot_id'], unique=False)

    op.create_table('partner_interviews',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('team_id', sa.Uuid(), nullable=False),
    sa.Column('api_key_id', sa.Uuid(), nullable=False),
    sa.Column('invitation_id', sa.Uuid(), nullable=False),
    sa.Column('url', sa.String(length=2000), nullable=False),
    sa.Column('profile_url', sa.String(length=2000), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['api_key_id'], ['api_keys.id'], name=op.f('fk_partner_interviews_api_key_id_api_keys')),
    sa.ForeignKeyConstraint(['invitation_id'], ['invitations.id'], name=op.f('fk_partner_interviews_invitation_id_invitations'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['team_id'], ['teams.id'], name=op.f('fk_partner_interviews_team_id_teams'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_partner_interviews')),
    sa.UniqueConstraint('invitation_id', name=op.f('uq_partner_interviews_invitation_id')),
    sa.UniqueConstraint('team_id', 'url', name=op.f('uq_partner_interviews_team_id_url'))
    )
    op.create_table('quiz_sessions',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('quiz_id', sa.Uuid(), nullable=False),
    sa.Column('invitation_id', sa.Uuid(), nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('minutes', sa.Integer(), nullable=False),
    sa.Column('extra_percent', sa.Integer(), nullable=False),
    sa.Column('added_minutes', sa.Integer(), nullable=False),
    sa.Column('window_end', sa.DateTime(timezone=True), nullable=True),
    sa.Column('deadline', sa.DateTime(timezone=True), nullable=False),
    sa.Column('epoch', sa.Integer(), nullable=False),
    sa.Column('closed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('submitted', sa.Boolean(), nullable=False),
    sa.Column('to_grade', sa.Boolean(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('points', sa.Float(), nullable=True),
    sa.Column('points_possible', sa.Float(), nullable=True),
    sa.Column('standard_error', sa.Float(), nullable=True),
    sa.Column('released_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint('added_minutes >= 0 AND added_minutes <= 1440', name=op.f('ck_quiz_sessions_added_range')),
    sa.ForeignKeyConstraint(['invitation_id'], ['invitations.id'], name=op.f('fk_quiz_sessions_invitation_id_invitations'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['quiz_id'], ['quizzes.id'], name=op.f('fk_quiz_sessions_quiz_id_quizzes'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_quiz_sessions')),
    sa.UniqueConstraint('invitation_id', name=op.f('uq_quiz_sessions_invitation_id'))
    )
    with op.batch_alter_table('quiz_sessions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_quiz_sessions_closed_at_deadline'), ['closed_at', 'deadline'], unique=False)
        batch_op.create_index(batch_op.f('ix_quiz_sessions_quiz_id_started_at'), ['quiz_id', 'started_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_quiz_sessions_to_grade'), ['to_grade'], unique=False)

    op.create_table('candidate_notes',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('session_id', sa.Uuid(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=True),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('text', sa.String(length=2000), nullable=False),
    sa.ForeignKeyConstraint(['session_id'], ['quiz_sessions.id'], name=op.f('fk_candidate_notes_session_id_quiz_sessions'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_candidate_notes'))
    )
    with op.batch_alter_table('candidate_notes', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_candidate_notes_session_id'), ['session_id'], unique=False)

    op.create_table('review_marks',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('session_id', sa.Uuid(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('reviewer_id', sa.Uuid(), nullable=True),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('points_named', sa.JSON(), nullable=False),
    sa.Column('note', sa.String(length=2000), nullable=False),
    sa.ForeignKeyConstraint(['reviewer_id'], ['accounts.id'], name=op.f('fk_review_marks_reviewer_id_accounts'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['session_id'], ['quiz_sessions.id'], name=op.f('fk_review_marks_session_id_quiz_sessions'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_review_marks'))
    )
    with op.batch_alter_table('review_marks', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_review_marks_session_id_position'), ['session_id', 'position'], unique=False)

    op.create_table('saved_responses',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('session_id', sa.Uuid(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('epoch', sa.Integer(), nullable=False),
    sa.Column('sequence', sa.Integer(), nullable=False),
    sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('response', sa.JSON(), nullable=False),
    sa.Column('reason', sa.String(length=4000), nullable=False),
    sa.Column('late', sa.Boolean(), nullable=False),
    sa.ForeignKeyConstraint(['session_id'], ['quiz_sessions.id'], name=op.f('fk_saved_responses_session_id_quiz_sessions'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_saved_responses')),
    sa.UniqueConstraint('session_id', 'position', 'epoch', 'sequence', name=op.f('uq_saved_responses_session_id_position_epoch_sequence'))
    )
    op.create_table('session_events',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('session_id', sa.Uuid(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('kind', sa.String(length=40), nullable=False),
    sa.Column('position', sa.Integer(), nullable=True),
    sa.Column('detail', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['session_id'], ['quiz_sessions.id'], name=op.f('fk_session_events_session_id_quiz_sessions'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_session_events'))
    )
    with op.batch_alter_table('session_events', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_session_events_session_id_at'), ['session_id', 'at'], unique=False)

    op.create_table('session_items',
    sa.Column('session_id', sa.Uuid(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('pool_variant_id', sa.Uuid(), nullable=False),
    sa.Column('points', sa.Float(), nullable=False),
    sa.Column('flagged', sa.Boolean(), nullable=False),
    sa.ForeignKeyConstraint(['pool_variant_id'], ['pool_variants.id'], name=op.f('fk_session_items_pool_variant_id_pool_variants')),
    sa.ForeignKeyConstraint(['session_id'], ['quiz_sessions.id'], name=op.f('fk_session_items_session_id_quiz_sessions'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('session_id', 'position', name=op.f('pk_session_items'))
    )
    with op.batch_alter_table('session_items', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_session_items_pool_variant_id'), ['pool_variant_id'], unique=False)

    op.create_table('grades',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('session_id', sa.Uuid(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('credit', sa.Float(), nullable=False),
    sa.Column('points', sa.Float(), nullable=False),
    sa.Column('outcome', sa.JSON(), nullable=False),
    sa.Column('response_id', sa.Integer(), nullable=True),
    sa.Column('rescore_id', sa.Uuid(), nullable=True),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('credit >= 0 AND credit <= 1', name=op.f('ck_grades_credit_range')),
    sa.ForeignKeyConstraint(['rescore_id'], ['rescores.id'], name=op.f('fk_grades_rescore_id_rescores')),
    sa.ForeignKeyConstraint(['response_id'], ['saved_responses.id'], name=op.f('fk_grades_response_id_saved_responses')),
    sa.ForeignKeyConstraint(['session_id'], ['quiz_sessions.id'], name=op.f('fk_grades_session_id_quiz_sessions'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_grades')),
    sa.UniqueConstraint('session_id', 'revision', 'position', name=op.f('uq_grades_session_id_revision_position'))
    )


def downgrade() -> None:
    op.drop_table('grades')
    with op.batch_alter_table('session_items', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_session_items_pool_variant_id'))

    op.drop_table('session_items')
    with op.batch_alter_table('session_events', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_session_events_session_id_at'))

    op.drop_table('session_events')
    op.drop_table('saved_responses')
    with op.batch_alter_table('review_marks', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_review_marks_session_id_position'))

    op.drop_table('review_marks')
    with op.batch_alter_table('candidate_notes', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_candidate_notes_session_id'))

    op.drop_table('candidate_notes')
    with op.batch_alter_table('quiz_sessions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_quiz_sessions_to_grade'))
        batch_op.drop_index(batch_op.f('ix_quiz_sessions_quiz_id_started_at'))
        batch_op.drop_index(batch_op.f('ix_quiz_sessions_closed_at_deadline'))

    op.drop_table('quiz_sessions')
    op.drop_table('partner_interviews')
    with op.batch_alter_table('pool_variants', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_pool_variants_quiz_id_slot_id'))

    op.drop_table('pool_variants')
    with op.batch_alter_table('invitations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_invitations_quiz_id_email'))
        batch_op.drop_index(batch_op.f('ix_invitations_quiz_id_created_at'))

    op.drop_table('invitations')
    with op.batch_alter_table('rescores', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_rescores_quiz_id'))

    op.drop_table('rescores')
    op.drop_table('quiz_slots')
    with op.batch_alter_table('public_links', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_public_links_quiz_id'))

    op.drop_table('public_links')
    with op.batch_alter_table('team_items', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_team_items_team_id_created_at'))

    op.drop_table('team_items')
    with op.batch_alter_table('quizzes', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_quizzes_team_id_created_at'))
        batch_op.drop_index(batch_op.f('ix_quizzes_state'))

    op.drop_table('quizzes')
    with op.batch_alter_table('password_resets', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_password_resets_account_id'))

    op.drop_table('password_resets')
    with op.batch_alter_table('memberships', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_memberships_account_id'))

    op.drop_table('memberships')
    with op.batch_alter_table('member_invitations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_member_invitations_team_id'))

    op.drop_table('member_invitations')
    with op.batch_alter_table('login_sessions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_login_sessions_account_id_expires_at'))

    op.drop_table('login_sessions')
    with op.batch_alter_table('api_keys', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_api_keys_team_id'))

    op.drop_table('api_keys')
    with op.batch_alter_table('webhook_endpoints', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_webhook_endpoints_team_id'))

    op.drop_table('webhook_endpoints')
    op.drop_table('accounts')
    op.drop_table('teams')
    op.drop_table('sign_in_failures')
    op.drop_table('leases')
    with op.batch_alter_table('deliveries', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_deliveries_team_id_created_at'))
        batch_op.drop_index(batch_op.f('ix_deliveries_subject_id'))
        batch_op.drop_index(batch_op.f('ix_deliveries_done_at_next_try_at'))

    op.drop_table('deliveries')
    with op.batch_alter_table('audit_entries', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_audit_entries_team_id_at'))

    op.drop_table('audit_entries')
