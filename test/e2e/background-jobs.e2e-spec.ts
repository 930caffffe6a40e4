import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, newPicture } from '../support/files.js';
import { TestDatabase, TestService } from '../support/service.js';
import { COLUMNS, TableAdministration } from '../support/table-administration.js';
import { Tables } from '../support/tables.js';
import { until } from '../support/until.js';

describe('an instance that looks for queued work once per minute', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { JOB_POLL_S: '60' });
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;

  it.each<Record<string, string>>([{}, { 'Idempotency-Key': 'preview' }])(
    'makes the preview of an image as soon as its note is committed, with %p',
    async (headers) => {
      const note = await api.post(notes(), { files: [base64('a.png', newPicture())] }, headers);
      await until(async () => {
        const { files } = (await api.get(`${notes()}/${note.body.data.id}`)).body.data;
        return files[0].thumbnailUrl as string | null;
      }, Boolean);
    },
  );

  it('builds and drops an index as soon as the edit of its column is committed', async () => {
    const tables = TableAdministration.for(Tables.of(service, me));
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', name: 'A' }]);
    const indexed = (value: boolean) => ({ columns: [{ key: 'name', options: { indexed: value } }] });
    await tables.edit('lists', name, indexed(true));
    await tables.indexIs('lists', name, 'name', 'ready');
    await tables.edit('lists', name, indexed(false));
    await until(
      () => database.query('SELECT FROM column_indexes'),
      (rows) => rows.length === 0,
    );
  });
});
