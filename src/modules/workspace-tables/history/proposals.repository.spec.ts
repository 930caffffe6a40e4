import { DataSource } from 'typeorm';
import { TestDatabase } from '../../../../test/support/service.js';
import { uuid } from '../../../../packages/sql/src/uuid.js';
import type { TemporaryFiles } from '../../../platform/body/temporary-files.js';
import { Database } from '../../../platform/database/database.js';
import { SnakeCaseNaming } from '../../../platform/database/snake-case-naming.js';
import { ProposalsRepository } from './proposals.repository.js';
import { TableProposal } from './table-proposal.entity.js';

describe('the proposals', () => {
  let server: TestDatabase;
  let connections: DataSource;
  let proposals: ProposalsRepository;

  beforeAll(async () => {
    server = await TestDatabase.create();
    const namingStrategy = new SnakeCaseNaming();
    connections = new DataSource({ type: 'postgres', url: server.url, entities: [TableProposal], namingStrategy });
    await connections.initialize();
    proposals = new ProposalsRepository(new Database(connections), undefined as unknown as TemporaryFiles);
  });

  afterAll(async () => {
    await connections?.destroy();
    await server?.drop();
  });

  it('are hidden from a caller without a user whose access policies are those of their author', async () => {
    const [workspaceId, id] = [uuid(), uuid()];
    await connections.query("INSERT INTO workspaces (id, name, slug) VALUES ($1, 'Plant', 'plant')", [workspaceId]);
    await connections.query(
      `INSERT INTO table_proposals (workspace_id, id, source, tables, report, needs_other_user, created_by,
                                    policy_version, compared_at, expires_at)
       VALUES ($1, $2, 'bulk', '[]', '{}', false, $3, 'policy.1', now(), now() + interval '1 day')`,
      [workspaceId, id, uuid()],
    );
    const ref = { view: { workspaceId, policies: [{ id: 'policy', version: 1, rules: [] }] }, id };
    for (const read of [proposals.get(ref), proposals.getEntity(ref)])
      await expect(read).rejects.toThrow('The proposal was not found');
    expect(await proposals.getEntity({ ...ref, view: { workspaceId, policies: [] } })).toMatchObject({ id });
  });
});
