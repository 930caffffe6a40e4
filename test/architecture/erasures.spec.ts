import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expectNone } from '../support/for-each.js';

/** A column with texts, up to its property. */
const COLUMN = /@Column\((?:'(?:text|jsonb?)'|\{ type: '(?:text|jsonb?)')[^;]*;/g;
const PROPERTY = /(\w+)\??: ([^:;]*);$/;

/** An import of a module, and the name of its folder. */
const MODULE = /from '\.\.\/(?:modules\/)?([a-z-]+)\/\1\.module\.js'/g;

/** The type of a property whose column of the type `text` has values of a list. */
const VALUES = /^[A-Z]\w+(\[\])?( \| (null|'\w+'))*$/;

/**
 * Columns with texts in which no person is named: keys, hashes, values of the service, and what an owner or the
 * operator has configured. And those that an erasure changes by itself: names and addresses.
 */
const NOT_MARKED: Record<string, string> = {
  'access-policy.entity': 'name nameKey rules',
  'archivable-record': 'externalId',
  'attachment.entity': 'sha256',
  'auth-event.entity': 'credential clientId counts address userAgent requestId',
  'column-index.entity': 'message',
  'credential.entity': 'pepperId prefix last4 clientId',
  'event-delivery.entity': 'eventType',
  'event.entity': 'type',
  'federated-identity.entity': 'clientId tokenDigests',
  'idempotency-key.entity': 'fingerprint headers',
  'membership.entity': 'displayName clientPolicies periods',
  'note-event.entity': 'field',
  'note.entity': 'status type priority externalReferences',
  'oauth-client.entity': 'status',
  'project.entity': 'geo',
  'row-referring-record': 'locationKey assetKey',
  'scim-group.entity': 'externalId displayName',
  'search-index.entity': 'key code',
  'session.entity': 'clientId',
  'signing-key.entity': 'alg publicKey',
  'stored-blob.entity': 'contentType',
  'subscription.entity': 'url events',
  'table-batch.entity': 'tables',
  'table-import.entity': 'tableRef options sha256 policyVersion',
  'table-proposal.entity': 'tables policyVersion comparedPolicyVersion before after',
  'tag.entity': 'anchorPosition stemVector color icon',
  'tour.entity': 'provider providerModelId',
  'trusted-issuer.entity': 'url audience domains claims signIn',
  'user.entity': 'email formerEmails',
  'workspace-column.entity': 'name description options',
  'workspace-table.entity': 'name nameKey options',
  'workspace.entity': 'name slug timezone settings',
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((path) => ({ path, name: basename(path, '.ts'), text: readFileSync(`src/${path}`, 'utf8') }));

/** The modules that a file imports, directly or by another module. */
function listModules(file: string, known = new Set<string>()): Set<string> {
  for (const [, name] of readFileSync(file, 'utf8').matchAll(MODULE)) {
    const imported = `src/modules/${name}/${name}.module.ts`;
    if (known.has(name!) || !existsSync(imported)) continue;
    known.add(name!);
    listModules(imported, known);
  }
  return known;
}

describe('a column with texts', () => {
  const columns = files.flatMap(({ name, text }) =>
    Array.from(text.matchAll(COLUMN), ([column]) => {
      const [, property, type] = PROPERTY.exec(column.replaceAll(/\s+/g, ' '))!;
      const hasValues = !column.includes('json') && VALUES.test(type!);
      return { name, property: property!, hasValues, isMarked: column.includes('@NamesPersons(') };
    }),
  );
  const isListed = (name: string, property: string) => NOT_MARKED[name]?.split(' ').includes(property) ?? false;

  it('can name a person, which is marked, or is listed here', () => {
    expect(columns.length).toBeGreaterThan(100);
    const wrong = columns.filter(({ name, property, hasValues, isMarked }) =>
      hasValues ? isMarked : isMarked === isListed(name, property),
    );
    expectNone(
      wrong.map(({ name, property }) => `${name}: ${property}`),
      'Add @NamesPersons(), so that `operator user erase` finds names in it, or list it in this test; not both.',
    );
  });

  it('is listed only if it exists', () => {
    const listed = Object.entries(NOT_MARKED).flatMap(([name, properties]) =>
      properties.split(' ').map((property) => ({ name, property })),
    );
    const exists = (name: string, property: string) =>
      columns.some((column) => column.name === name && column.property === property);
    expectNone(
      listed
        .filter(({ name, property }) => !exists(name, property))
        .map(({ name, property }) => `${name}: ${property}`),
      'Remove it from NOT_MARKED of this test, or write its present name.',
    );
  });

  it('is known to the operator CLI', () => {
    const known = listModules('src/operator/operator.module.ts');
    const marked = files.filter(({ path, text }) => path.startsWith('modules/') && text.includes('@NamesPersons('));
    expect(marked.length).toBeGreaterThan(10);
    expectNone(
      marked.filter(({ path }) => !known.has(path.split('/')[1]!)).map(({ path }) => path),
      'Import its module in src/operator/operator.module.ts: `operator user erase` changes only tables that it knows.',
    );
  });
});
