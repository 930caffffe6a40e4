import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Issuers whose tokens the service accepts, and the user whom each of their subjects is. An identity with a client is
 * that of a machine. `token_digests` are those of the newest second, so that each token counts once. `members` of a
 * provisioned group are IDs of users.
 */
export class Identity1763710019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE trusted_issuers (
        id uuid NOT NULL CONSTRAINT pk_trusted_issuers PRIMARY KEY,
        url text NOT NULL CONSTRAINT uq_trusted_issuers_url UNIQUE,
        audience text NOT NULL,
        domains text[] NOT NULL,
        claims jsonb NOT NULL,
        sign_in jsonb,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE TABLE federated_identities (
        issuer_id uuid NOT NULL
          CONSTRAINT fk_federated_identities_issuer REFERENCES trusted_issuers (id) ON DELETE CASCADE,
        subject text NOT NULL,
        user_id uuid NOT NULL CONSTRAINT fk_federated_identities_user REFERENCES users (id) ON DELETE CASCADE,
        client_id text CONSTRAINT fk_federated_identities_client REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
        token_issued_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        token_digests text[] NOT NULL DEFAULT '{}',
        CONSTRAINT pk_federated_identities PRIMARY KEY (issuer_id, subject)
      );
      CREATE INDEX ix_federated_identities_user ON federated_identities (user_id);
      CREATE INDEX ix_federated_identities_client ON federated_identities (client_id);
      CREATE TABLE scim_groups (
        workspace_id uuid NOT NULL CONSTRAINT fk_scim_groups_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        external_id text,
        display_name text NOT NULL,
        members uuid[] NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_scim_groups PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_scim_groups_name UNIQUE (workspace_id, display_name)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE scim_groups, federated_identities, trusted_issuers');
  }
}
