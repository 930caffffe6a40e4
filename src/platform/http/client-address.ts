import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Whoever cannot be told apart shares one bucket: an address that nobody can read must not be a way around. */
const UNKNOWN = 'unknown';

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/**
 * The address that attempts of a caller are counted under. Express has settled by TRUST_PROXY whose `X-Forwarded-For`
 * is believed. A connection that is gone has no address.
 */
export function clientAddress({ ip }: Pick<Request, 'ip'>): string {
  return addressGroup(ip ?? '');
}

/** IPv4 counts by address, also where it is written as IPv6; IPv6 by /64, which a single household is given whole. */
export function addressGroup(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const [address] = (bracketed ?? plain ?? text).split('%') as [string];
  if (isIP(address) === 0) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.map((part, at) => (at < 4 ? part : 0));
  return `${new ipaddr.IPv6(network).toString()}/64`;
}
