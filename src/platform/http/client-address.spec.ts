import { addressGroup, callerAddress, clientAddress } from './client-address.js';

it.each([
  ['203.0.113.5:51123', '203.0.113.5'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['unknown', 'unknown'],
  [undefined, undefined],
])('logs the address %s as %s', (ip, address) => expect(callerAddress({ ip })).toBe(address));

describe('the address that attempts count under', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    // A deprecated way to write IPv4 in IPv6, and an IPv6 address that only looks like one.
    ['::192.0.2.1', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::/64'],
  ])('%s counts as %s', (text, group) => expect(addressGroup(text)).toBe(group));

  it.each(['', 'unknown', '127.1', '0x7f.0.0.1', '1.2.3', '1.2.3.4, 5.6.7.8', '[::1', '1.2.3.4|x', 'x'.repeat(10_000)])(
    '%j cannot be read, and counts with all others that cannot',
    (text) => expect(addressGroup(text)).toBe('unknown'),
  );

  it('is missing on a connection that is gone', () => expect(clientAddress({ ip: undefined })).toBe('unknown'));
});
