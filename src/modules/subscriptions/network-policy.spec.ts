import ipaddr from 'ipaddr.js';
import { ForbiddenAddressError, NetworkPolicy, type Resolver } from './network-policy.js';

/**
 * The registries of special-purpose addresses of IANA (iana-ipv4-special-registry, iana-ipv6-special-registry), and the
 * ranges of multicast, of IPv4-compatible (RFC 4291, 2.5.5.1) and of site-local addresses (RFC 3879). `::ffff:0:0/96`
 * is absent: the IPv4 address in it decides.
 */
const REGISTRIES = [
  ...['0.0.0.0/8', '0.0.0.0/32', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...[
    '192.0.0.0/24',
    '192.0.0.0/29',
    '192.0.0.8/32',
    '192.0.0.9/32',
    '192.0.0.10/32',
    '192.0.0.170/32',
    '192.0.0.171/32',
  ],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.88.99.2/32', '192.168.0.0/16'],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4', '255.255.255.255/32'],
  ...['::1/128', '::/128', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '2001::/23'],
  ...['2001::/32', '2001:1::1/128', '2001:1::2/128', '2001:1::3/128', '2001:2::/48', '2001:3::/32', '2001:4:112::/48'],
  ...['2001:10::/28', '2001:20::/28', '2001:30::/28', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
  ...['5f00::/16', 'fc00::/7', 'fe80::/10', '224.0.0.0/4', 'ff00::/8', '::/96', 'fec0::/10'],
];

/** The first and the last address of a range, and one between them. */
function samplesOf(range: string): string[] {
  const [network, bits] = ipaddr.parseCIDR(range);
  const bytes = network.toByteArray();
  const withHost = (fill: number) =>
    ipaddr
      .fromByteArray(
        bytes.map((byte, at) => {
          const mask = at * 8 >= bits ? 0xff : at * 8 + 8 <= bits ? 0 : 0xff >> (bits - at * 8);
          return (byte & ~mask & 0xff) | (fill & mask);
        }),
      )
      .toString();
  return [withHost(0), withHost(0xff), withHost(0x5a)];
}

/** The forms in IPv6 of an IPv4 address: mapped, compatible, NAT64 and 6to4. */
function embed(address: string): string[] {
  const [a, b, c, d] = ipaddr.IPv4.parse(address).toByteArray() as [number, number, number, number];
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return [`::ffff:${groups}`, `::${groups}`, `64:ff9b::${groups}`, `64:ff9b:1::${groups}`, `2002:${groups}::`];
}

describe('the policy of addresses', () => {
  const policy = new NetworkPolicy([]);

  it.each(REGISTRIES)('rejects the range %s of the registries, in each form', (range) => {
    for (const address of samplesOf(range)) {
      const forms = ipaddr.parse(address).kind() === 'ipv4' ? [address, ...embed(address)] : [address];
      for (const form of forms) {
        expect([form, policy.isAllowed(form)]).toEqual([form, false]);
        const host = form.includes(':') ? `[${form}]` : form;
        expect(() => policy.requireAllowedHost(new URL(`https://${host}/`))).toThrow(ForbiddenAddressError);
      }
    }
  });

  it.each(['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '192.0.1.0', '198.20.0.0', '223.255.255.255'])(
    'allows %s, which is next to a range or public',
    (address) => expect(policy.isAllowed(address)).toBe(true),
  );

  it.each(['2001:200::1', '2001:4860:4860::8888', '2003::1', '2606:4700::1111', '3ffe::1', '2a00::1'])(
    'allows %s, which is global unicast',
    (address) => expect(policy.isAllowed(address)).toBe(true),
  );

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
