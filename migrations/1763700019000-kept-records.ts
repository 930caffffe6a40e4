import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What projects, tours and tags have beside their first fields: external ids, an archive, and what people say of them. */
export class KeptRecords1763700019000 implements MigrationInterface {
  name = 'KeptRecords1763700019000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['projects', 'tours', 'tags']) {
      await runner.query(`
        ALTER TABLE ${table} ADD external_id text, ADD archived_at timestamptz(3);
        ALTER TABLE ${table} ADD CONSTRAINT uq_${table}_external_id UNIQUE (workspace_id, external_id);
        CREATE INDEX ix_${table}_updated ON ${table} (workspace_id, updated_at, id);
      `);
    }
    await runner.query(`
      UPDATE projects SET archived_at = updated_at, status = 'active' WHERE status = 'archived';
      ALTER TABLE projects DROP status, ADD address text, ADD geo jsonb, ADD cover_image text;
      UPDATE tours SET archived_at = updated_at, status = 'published' WHERE status = 'archived';
      ALTER TABLE tours ADD provider text, ADD provider_model_id text, ADD share_url text, ADD thumbnail_url text,
        ADD captured_at timestamptz(3), ADD published_at timestamptz(3),
        ADD floors jsonb NOT NULL DEFAULT '[]', ADD scenes jsonb NOT NULL DEFAULT '[]';
      ALTER TABLE tags ADD stem_vector jsonb, ADD scene_id text, ADD floor_id text, ADD color text, ADD icon text,
        ADD keywords text[] NOT NULL DEFAULT '{}', ADD location_table_id uuid, ADD location_key text COLLATE "C",
        ADD asset_table_id uuid, ADD asset_key text COLLATE "C";
      CREATE INDEX ix_tags_location ON tags (workspace_id, location_table_id, location_key);
      CREATE INDEX ix_tags_asset ON tags (workspace_id, asset_table_id, asset_key);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tags DROP stem_vector, DROP scene_id, DROP floor_id, DROP color, DROP icon, DROP keywords,
        DROP location_table_id, DROP location_key, DROP asset_table_id, DROP asset_key;
      UPDATE tours SET status = 'archived' WHERE archived_at IS NOT NULL;
      ALTER TABLE tours DROP provider, DROP provider_model_id, DROP share_url, DROP thumbnail_url, DROP captured_at,
        DROP published_at, DROP floors, DROP scenes;
      ALTER TABLE projects ADD status text NOT NULL DEFAULT 'active', DROP address, DROP geo, DROP cover_image;
      UPDATE projects SET status = 'archived' WHERE archived_at IS NOT NULL;
    `);
    for (const table of ['projects', 'tours', 'tags']) {
      await runner.query(`
        DROP INDEX ix_${table}_updated;
        ALTER TABLE ${table} DROP external_id, DROP archived_at;
      `);
    }
  }
}
