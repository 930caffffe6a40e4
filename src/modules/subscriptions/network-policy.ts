import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';

/** The only IPv6 addresses that IANA has assigned to networks of the Internet. */
const GLOBAL_UNICAST = parseRange('2000::/3');

/**
 * Ranges that no receiver on the Internet has: the registries of special-purpose addresses of IANA (RFC 6890),
 * multicast, and the public address at which a provider serves the metadata of machines. IPv6 ranges outside of global
 * unicast are absent.
 */
const SPECIAL_PURPOSE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map(parseRange);

/**
 * Names of this machine (RFC 6761) and of the metadata of machines of providers, with an address that they may have.
 */
const KNOWN_NAMES: readonly [name: RegExp, address: string][] = [
  [/(^|\.)localhost$/, '127.0.0.1'],
  [/^metadata(\.google\.internal|\.goog)?$/, '169.254.169.254'],
  [/^instance-data(\.ec2\.internal)?$/, '169.254.169.254'],
];

/** The receiver has an address to which deliveries are not sent. Its message contains only what the caller has sent. */
export class ForbiddenAddressError extends Error {}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Finds the addresses of a name. */
export interface Resolver {
  resolve(hostname: string): Promise<LookupAddress[]>;
}

/**
 * The addresses to which the service sends requests on behalf of callers: public ones, and those that the operator
 * allows.
 */
export class NetworkPolicy {
  private readonly logger = new Logger('NetworkPolicy');
  private readonly allowed: Range[];

  /** @param allowedNetworks addresses or ranges in CIDR notation. */
  constructor(allowedNetworks: readonly string[]) {
    this.allowed = allowedNetworks.map(parseRange);
  }

  /** @param address IPv4 or IPv6, also an IPv4 address in IPv6 notation. */
  isAllowed(address: string): boolean {
    const parsed = ipaddr.process(address);
    if (isIn(parsed, this.allowed)) return true;
    const isAssigned = parsed.kind() === 'ipv4' || isIn(parsed, [GLOBAL_UNICAST]);
    return isAssigned && !isIn(parsed, SPECIAL_PURPOSE);
  }

  /**
   * @throws {ForbiddenAddressError} if the host of the URL is an address that is not allowed, or a known name of one.
   */
  requireAllowedHost({ hostname }: URL): void {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const [, address = host] = KNOWN_NAMES.find(([name]) => name.test(host)) ?? [];
    if (isIP(address) !== 0 && !this.isAllowed(address))
      throw new ForbiddenAddressError(`${host} is not a public address`);
  }

  /**
   * The `lookup` of a connection: its addresses are checked here and then used, so that a name which has another
   * address a moment later does not help an attacker.
   */
  createLookup(resolver: Resolver): LookupFunction {
    return (hostname, { all }, callback) => {
      const onFound = (addresses: LookupAddress[]): void => {
        const [first] = addresses;
        const forbidden = addresses.find(({ address }) => !this.isAllowed(address));
        if (forbidden) this.logger.debug(`The receiver ${hostname} has the address ${forbidden.address}`);
        if (forbidden || !first)
          callback(new ForbiddenAddressError(`${hostname} has an address that is not public`), '', 0);
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      };
      resolver.resolve(hostname).then(onFound, (error: unknown) => callback(error as Error, '', 0));
    };
  }
}

function parseRange(text: string): Range {
  return text.includes('/')
    ? ipaddr.parseCIDR(text)
    : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128];
}

function isIn(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}
