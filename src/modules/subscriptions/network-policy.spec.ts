import { ForbiddenAddressError, NetworkPolicy, type Resolver } from './network-policy.js';

describe('the policy of addresses', () => {
  it.each([
    ['93.184.216.34', true],
    ['2606:2800:220:1::1', true],
    ['10.0.0.1', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['169.254.169.254', false],
    ['168.63.129.16', false],
    ['100.100.100.200', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::1', false],
    ['::', false],
    ['fe80::1', false],
    ['fd00:ec2::254', false],
    ['ff02::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:a00:1', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['::7f00:1', false],
    ['::5db8:d822', false],
    ['64:ff9b:1::1', false],
    ['fec0::1', false],
    ['100::1', false],
    ['5f00::1', false],
    ['2001:db8::1', false],
    ['192.0.2.1', false],
    ['192.0.0.1', false],
    ['198.18.0.1', false],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['240.0.0.1', false],
    ['0.1.2.3', false],
  ])('%s is allowed: %s', (address, expected) => {
    expect(new NetworkPolicy([]).isAllowed(address)).toBe(expected);
  });

  it('allows the networks of the operator, and only these', () => {
    const policy = new NetworkPolicy(['10.1.0.0/16', '::1']);
    expect(['10.1.2.3', '::1', '10.2.0.1', '127.0.0.1'].map((address) => policy.isAllowed(address))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://metadata.google.internal./',
    'https://metadata/',
    'https://instance-data.ec2.internal/',
  ])('rejects the name of %s, unless the operator allows its address', (url) => {
    expect(() => new NetworkPolicy([]).requireAllowedHost(new URL(url))).toThrow(ForbiddenAddressError);
    new NetworkPolicy(['127.0.0.1', '169.254.169.254']).requireAllowedHost(new URL(url));
  });

  it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://0x7f.1/', 'http://2130706433/', 'http://[::ffff:10.0.0.1]/'])(
    'rejects %s',
    (url) => {
      expect(() => new NetworkPolicy([]).requireAllowedHost(new URL(url))).toThrow(ForbiddenAddressError);
    },
  );

  it('checks the addresses of each connection: a name that changes afterwards is rejected', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1'], ['93.184.216.34', '10.0.0.1']];
    const resolver: Resolver = {
      resolve: () => Promise.resolve(answers.shift()!.map((address) => ({ address, family: 4 }))),
    };
    const lookup = new NetworkPolicy([]).createLookup(resolver);
    const connect = () =>
      new Promise((done) => {
        lookup('receiver.example', { all: true }, (error, addresses) => done(error ?? addresses));
      });
    expect(await connect()).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await connect()).toBeInstanceOf(ForbiddenAddressError);
    expect(await connect()).toBeInstanceOf(ForbiddenAddressError);
  });
});
