import { claimMappingSchema, mapGroups, PRESETS, readSubject } from './claim-mapping.js';

const DEFAULT = claimMappingSchema.parse({});
const ENTRA = claimMappingSchema.parse(PRESETS.entra);
const KEYCLOAK = claimMappingSchema.parse(PRESETS.keycloak);
const PREFIXED = claimMappingSchema.parse({ scopePrefix: 'atrium/', groups: 'https://example.com/groups' });

describe('the subject of a token', () => {
  it('has what the claims of Entra ID state', () => {
    const claims = { oid: 'o', sub: 's', email: 'a@b.example', xms_edov: true, scp: 'api User.Read', roles: ['r'] };
    expect(readSubject(ENTRA, claims)).toEqual({
      subject: 'o',
      email: 'a@b.example',
      scopes: ['api'],
      groups: ['r'],
    });
  });

  it('has what the claims of Keycloak state', () => {
    const claims = { sub: 's', email: 'a@b.example', email_verified: true, scope: 'openid read:tours' };
    expect(readSubject(KEYCLOAK, { ...claims, realm_access: { roles: ['r', 7] } })).toEqual({
      subject: 's',
      email: 'a@b.example',
      scopes: ['read:tours'],
      groups: ['r'],
    });
  });

  it.each([[false], ['false'], [0], [null], [undefined], ['yes'], [[true, false]]])(
    'has no email address that is verified by %j',
    (email_verified) => {
      expect(readSubject(DEFAULT, { sub: 's', email: 'a@b.example', email_verified })?.email).toBeUndefined();
    },
  );

  it.each([[true], ['true'], [1], ['1']])('has an email address that is verified by %j', (email_verified) => {
    expect(readSubject(DEFAULT, { sub: 's', email: 'a@b.example', email_verified })?.email).toBe('a@b.example');
  });

  it.each(['a\0', 'a\ud800'])('has neither an ID nor an email address that cannot be stored: %j', (text) => {
    expect(readSubject(DEFAULT, { sub: text })).toBeUndefined();
    expect(readSubject(DEFAULT, { sub: 's', email: text, email_verified: true })?.email).toBeUndefined();
  });

  it('has scopes with the prefix only, and no scopes without the claim', () => {
    const read = (scope: unknown) => readSubject(PREFIXED, { sub: 's', scope })?.scopes;
    expect(read('api atrium/read:tours atrium/nothing')).toEqual(['read:tours']);
    expect(read(['atrium/api'])).toEqual(['api']);
    expect(read('')).toEqual([]);
    expect(read(undefined)).toBeUndefined();
  });

  it('has the groups of a claim whose name is an address, and unknown ones if they are elsewhere', () => {
    expect(readSubject(PREFIXED, { sub: 's', 'https://example.com/groups': 'one' })?.groups).toEqual(['one']);
    expect(readSubject(DEFAULT, { sub: 's' })?.groups).toEqual([]);
    expect(readSubject(DEFAULT, { sub: 's', hasgroups: true })?.groups).toBeUndefined();
    expect(readSubject(DEFAULT, { sub: 's', _claim_names: { groups: 'src1' } })?.groups).toBeUndefined();
  });

  it.each([[undefined], [''], [7], [['s']], ['x'.repeat(256)]])('does not exist with the claim %j', (sub) => {
    expect(readSubject(DEFAULT, { sub: sub as string })).toBeUndefined();
  });

  it('does not exist by a property that every object has', () => {
    expect(readSubject({ ...DEFAULT, subject: 'constructor.name' }, {})).toBeUndefined();
  });
});

it('the first matching group of a workspace determines the membership, none makes a reader', () => {
  const policy = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';
  const mapping = claimMappingSchema.parse({
    memberships: [
      { group: 'a', workspace: 'w1', role: 'owner' },
      { group: 'b', workspace: 'w1', role: 'editor', policy },
      { group: 'b', workspace: 'w2', role: 'editor' },
    ],
  });
  expect(mapGroups(mapping, ['b', 'a'])).toEqual([
    { workspaceId: 'w1', role: 'owner', policyId: null },
    { workspaceId: 'w2', role: 'editor', policyId: null },
  ]);
  expect(mapGroups(mapping, ['b'])[0]).toEqual({ workspaceId: 'w1', role: 'editor', policyId: policy });
  expect(mapGroups(mapping, [])).toEqual([
    { workspaceId: 'w1', role: 'reader' },
    { workspaceId: 'w2', role: 'reader' },
  ]);
});
