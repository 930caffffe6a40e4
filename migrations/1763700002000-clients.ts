import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Client credentials (specification, section 2.2). Secrets are stored as HMACs alone. */
export class Clients1763700002000 implements MigrationInterface {
  name = 'Clients1763700002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_clients (
        client_id text NOT NULL CONSTRAINT pk_oauth_clients PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_oauth_clients_user REFERENCES users (id),
        allowed_scopes text[] NOT NULL,
        status text NOT NULL DEFAULT 'active',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX ix_oauth_clients_user ON oauth_clients (user_id);
      CREATE TABLE client_secrets (
        id uuid NOT NULL CONSTRAINT pk_client_secrets PRIMARY KEY,
        client_id text NOT NULL CONSTRAINT fk_client_secrets_client REFERENCES oauth_clients (client_id),
        hmac bytea NOT NULL,
        pepper_id text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3),
        revoked_at timestamptz(3)
      );
      CREATE INDEX ix_client_secrets_client ON client_secrets (client_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE client_secrets, oauth_clients');
  }
}
