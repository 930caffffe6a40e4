import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Credentials (specification, section 2.2) and signing keys. Client secrets and API keys are stored only as HMACs,
 * private keys encrypted with ENCRYPTION_KEY. Each use has one active and one next signing key. An API key with
 * `former_of` is the former secret of another key after a rotation.
 */
export class Auth1763710003000 implements MigrationInterface {
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
      CREATE TABLE api_keys (
        id uuid NOT NULL CONSTRAINT pk_api_keys PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_api_keys_user REFERENCES users (id),
        workspace_id uuid NOT NULL CONSTRAINT fk_api_keys_workspace REFERENCES workspaces (id),
        hmac bytea NOT NULL CONSTRAINT uq_api_keys_hmac UNIQUE,
        pepper_id text NOT NULL,
        last4 text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        last_used_at timestamptz(3),
        name text NOT NULL DEFAULT 'API key',
        scopes text[] NOT NULL DEFAULT '{api}',
        prefix text,
        created_by uuid,
        former_of uuid,
        policy_id uuid
      );
      CREATE INDEX ix_api_keys_user ON api_keys (user_id);
      CREATE INDEX ix_api_keys_workspace ON api_keys (workspace_id);
      CREATE TABLE signing_keys (
        kid text NOT NULL CONSTRAINT pk_signing_keys PRIMARY KEY,
        use text NOT NULL,
        alg text NOT NULL,
        state text NOT NULL,
        public_key text NOT NULL,
        encrypted_private_key bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        activated_at timestamptz(3),
        retired_at timestamptz(3),
        verify_until timestamptz(3)
      );
      CREATE UNIQUE INDEX uq_signing_keys_active ON signing_keys (use) WHERE state = 'active';
      CREATE UNIQUE INDEX uq_signing_keys_next ON signing_keys (use) WHERE state = 'next';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE signing_keys, api_keys, client_secrets, oauth_clients');
  }
}
