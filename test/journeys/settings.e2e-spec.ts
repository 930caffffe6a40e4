import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { Api } from '../support/api.js';
import { Home } from '../support/home.js';
import { TestDatabase, TestService } from '../support/service.js';

const SECRETS = { CREDENTIAL_PEPPER: 'a'.repeat(64), ENCRYPTION_KEY: 'b'.repeat(64) };

describe('settings', () => {
  let home: Home;

  beforeEach(async () => {
    home = await Home.make();
  });

  afterEach(() => {
    home.remove();
  });

  it('that are wrong stop the start, with one line a fault', async () => {
    const { code, output } = await home.refusal({ PORT: 'many', PUBLIC_URL: 'atrium', DATABASE_POOL_SIZE: '-1' });
    expect(code).toBe(1);
    const lines = output.trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).toEqual(['PORT', 'PUBLIC_URL', 'DATABASE_POOL_SIZE']);
  });

  it('are read from .env, and the environment wins', async () => {
    writeFileSync(join(home.path, '.env'), 'LOG_LEVEL=loud\nPORT=none\n');
    const { output } = await home.refusal();
    expect(output).toContain('LOG_LEVEL: ');
    expect(output).not.toContain('PORT: ');
  });

  it('of production name the secrets that are missing, and nothing is started', async () => {
    const { code, output } = await home.refusal({ NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      expect.stringMatching(/^CREDENTIAL_PEPPER: must be set in production/),
      expect.stringMatching(/^ENCRYPTION_KEY: must be set in production/),
    ]);
    expect(home.postgresPid).toBeUndefined();
  });

  it('with a port that is taken say so, and stop', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(home.port, done));
    const database = await TestDatabase.create();
    const { code, output } = await home.refusal({ DATABASE_URL: database.url });
    expect(code).toBe(1);
    expect(output).toContain(`PORT: ${home.port} is in use`);
    other.close();
    await database.drop();
  });

  it('with a database that nobody serves say so, and stop', async () => {
    const { code, output } = await home.refusal({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(output).toContain('ECONNREFUSED');
  });

  it('with a database that is not UTF8 say so, and stop', async () => {
    const database = await TestDatabase.create();
    const name = `latin_${Date.now()}`;
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc`,
    );
    const url = database.url.replace(/t_[0-9a-f]+(?=\?|$)/, name);
    const { code, output } = await home.refusal({ DATABASE_URL: url });
    expect(code).toBe(1);
    expect(output).toContain('the database must be UTF8; this is SQL_ASCII');
    await client.query(`DROP DATABASE ${name}`);
    await client.end();
    await database.drop();
  });

  it('with another encryption key than the database was set up with say so, and stop', async () => {
    const database = await TestDatabase.create();
    const service = await TestService.start(database);
    await service.stop();
    const { code, output } = await home.refusal({
      ...SECRETS,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: 'c'.repeat(64),
    });
    expect(code).toBe(1);
    expect(output).toContain('ENCRYPTION_KEY: is not the one');
    await database.drop();
  });
});

describe('SIGTERM', () => {
  it('lets a request under way finish, and exits with 0', async () => {
    const database = await TestDatabase.create();
    const service = await TestService.start(database);
    const { workspaceId, apiKey } = await service.provision();
    const items = Array.from({ length: 20_000 }, (_, row) => ({ key: `k${row}`, name: `Row ${row}` }));
    const columns = [
      { name: 'Key', type: 'text' },
      { name: 'Name', type: 'text' },
    ];
    const pushing = new Api(service.baseUrl)
      .withKey(apiKey)
      .post(`/v2/api/workspaces/${workspaceId}/cw/lists/bulk`, { lists: [{ name: 'Slow', columns, items }] });
    // Time for the request to arrive, and far less than it takes.
    await delay(60);
    const stopped = service.stop('SIGTERM');
    expect((await pushing).body.data.totals.created).toBe(20_000);
    expect(await stopped).toBe(0);
    await database.drop();
  });
});
