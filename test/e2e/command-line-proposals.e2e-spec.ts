import { CommandLine, ending } from '../support/command-line.js';
import { shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

let atrium: CommandLine;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
});

const STORED = [
  { code: 'A', weight: 1 },
  { code: 'B', weight: 2 },
];

/** A table with two rows whose loads need approval. */
async function createTable(name: string): Promise<void> {
  await atrium.fill(name, STORED);
  await atrium.client.put('/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}', {
    params: { path: { workspaceId: atrium.caller.workspaceId, entity: 'assets', table: name } },
    body: { options: { approval: { required: true } } },
  });
}

const propose = async (table: string): Promise<string> => {
  atrium.write('load.csv', 'code,weight\nA,9\nC,3\n');
  const { code, stdout } = await atrium.run(['import', 'load.csv', '--table', table, '--json']);
  expect(code).toBe(5);
  const summary = JSON.parse(stdout) as { proposals: string[]; isStored: boolean; batches: string[] };
  expect(summary).toMatchObject({ isStored: false, batches: [], created: 1, updated: 1 });
  return summary.proposals[0]!;
};

describe('loads that need approval', () => {
  it('end with the exit code 5, are shown and approved, and can be undone', async () => {
    await createTable('Approved');
    const id = await propose('Approved');
    expect(await atrium.rowsOf('Approved')).toEqual(STORED);
    const listed = await atrium.run('proposals list --status pending');
    expect(listed.stdout).toMatch(new RegExp(`^${id} .* import +Approved +\\+1 ~1 -0 +pending`, 'm'));
    const shown = await atrium.run(['proposals', 'show', id]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('~ A  weight: 1 → 9\n+ C  weight: 3\n1 to create, 1 to update, 0 to delete.');
    const lines = (await atrium.run(['proposals', 'show', id, '--json'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { change: 'update', key: 'A' },
      { change: 'create', key: 'C' },
      { summary: { create: 1, update: 1, delete: 0 } },
    ]);
    const asked = await atrium.run(['proposals', 'approve', id]);
    expect(asked).toMatchObject(ending(1, 'Add --yes'));
    expect(asked.stderr).toContain('~ A  weight: 1 → 9');
    const approved = await atrium.json('proposals', 'approve', id, '--yes', '--comment', 'Checked');
    expect(approved).toMatchObject({ status: 'approved', comment: 'Checked' });
    expect(await atrium.rowsOf('Approved')).toEqual([{ code: 'A', weight: 9 }, STORED[1], { code: 'C', weight: 3 }]);
    const undo = await atrium.run(['undo', approved.batchId as string, '--yes']);
    expect(undo).toMatchObject({ code: 5, stdout: expect.stringContaining('The undo waits for approval') });
    expect(await atrium.run(['proposals', 'approve', id, '--yes'])).toMatchObject(ending(1, 'proposal_decided'));
  });

  it('do not look as if they were stored, and end with the exit code 5 also if rows are rejected', async () => {
    await createTable('Partly waiting');
    atrium.write('partly.csv', 'code,weight\nA,9\nD,heavy\n');
    const load = ['import', 'partly.csv', '--table', 'Partly waiting', '--on-error', 'continue'];
    const { code, stdout } = await atrium.run(load);
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout: expect.stringContaining('Partly waiting (waits for approval)'),
    });
    const quiet = { code: 5, stdout: 'Partly waiting: waits for approval, 1 updated, 1 rejected\n' };
    expect(await atrium.run([...load, '--quiet'])).toMatchObject(quiet);
    expect(await atrium.rowsOf('Partly waiting')).toEqual(STORED);
  });

  it('are not counted as stored by the client', async () => {
    await createTable('Counted');
    const table = atrium.client.assets('Counted');
    const report = await table.upsert([
      { code: 'A', weight: 9 },
      { code: 'C', weight: 3 },
    ]);
    expect(report).toMatchObject({
      totals: { received: 2, created: 0, updated: 0 },
      batchIds: [],
      proposalIds: [expect.any(String)],
    });
    expect(await table.delete(['A'])).toEqual({
      totals: { received: 1, deleted: 0, missing: 0, failed: 0 },
      batchIds: [],
      proposalIds: [expect.any(String)],
    });
    expect(await atrium.rowsOf('Counted')).toEqual(STORED);
  });

  it('are compared again, with the rows that were changed since', async () => {
    await createTable('Compared');
    const id = await propose('Compared');
    await atrium.client.assets('Compared').patch('A', { weight: 5 });
    const rejected = await atrium.run(['proposals', 'approve', id, '--yes']);
    expect(rejected).toMatchObject(ending(1, 'proposal_outdated'));
    expect(rejected.stderr).toContain('key A');
    expect((await atrium.run(['proposals', 'compare', id])).stdout).toContain('~ A  weight: 5 → 9');
    expect((await atrium.run(['proposals', 'approve', id, '--yes'])).code).toBe(0);
  });

  it('of `sync --wait` are waited for: approved, they are stored; rejected, the command fails with the comment', async () => {
    await createTable('Waiting');
    for (const isApproved of [false, true]) {
      atrium.write('sync.csv', 'code,weight\nA,7\nB,2\n');
      const running = atrium.run('sync sync.csv Waiting --yes --wait --json');
      const pending = async () => {
        for await (const proposal of atrium.client.proposals.list({ status: 'pending' }))
          if (proposal.tables.some(({ name }) => name === 'Waiting')) return proposal.id;
        return undefined;
      };
      const id = await until(pending, (found) => found !== undefined, 30_000);
      await atrium.client.proposals[isApproved ? 'approve' : 'reject'](id!, { comment: 'Wrong file' });
      const { code, stdout, stderr } = await running;
      if (isApproved) {
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({
          isStored: true,
          updated: 1,
          proposals: [],
          batches: [expect.any(String)],
        });
      } else {
        expect(code).toBe(1);
        expect(stdout + stderr).toContain('the proposal is rejected. Wrong file');
      }
    }
    expect(await atrium.rowsOf('Waiting')).toEqual([{ code: 'A', weight: 7 }, STORED[1]]);
  });
});
