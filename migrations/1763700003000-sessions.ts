import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions (specification, section 3). Generation and token id are the memory of every refresh token there was. */
export class Sessions1763700003000 implements MigrationInterface {
  name = 'Sessions1763700003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sessions (
        user_id uuid NOT NULL,
        id uuid NOT NULL,
        client_id text NOT NULL,
        scopes text[] NOT NULL,
        generation integer NOT NULL DEFAULT 0,
        token_id uuid NOT NULL,
        refresh_expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_used_at timestamptz(3) NOT NULL DEFAULT now(),
        revoked_at timestamptz(3),
        revoked_reason text,
        CONSTRAINT pk_sessions PRIMARY KEY (user_id, id)
      );
      CREATE INDEX ix_sessions_client ON sessions (client_id) WHERE revoked_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sessions');
  }
}
