import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before the service (`--import`). The name `rebinding.test` has another address at each look-up: first
 * 203.0.113.7, which is for documentation only (RFC 5737), then 127.0.0.1, then the first again.
 */
const { lookup } = dns;
const addresses = ['203.0.113.7', '127.0.0.1'];
let count = 0;

dns.lookup = (hostname, options, callback) => {
  if (hostname !== 'rebinding.test') return lookup(hostname, options, callback);
  const found = { address: addresses[count++ % addresses.length], family: 4 };
  const result = typeof options === 'object' && options.all ? [[found]] : [found.address, found.family];
  process.nextTick(typeof options === 'function' ? options : callback, null, ...result);
};
syncBuiltinESMExports();
