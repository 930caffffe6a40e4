import dns from 'node:dns';

/**
 * Loaded before the service (`--import`). The name `rebinding.test` has another address at each question: first
 * 203.0.113.7, which is for documentation only (RFC 5737), then 127.0.0.1, then the first again.
 */
const { Resolver } = dns.promises;
const addresses = ['203.0.113.7', '127.0.0.1'];
let count = 0;

dns.promises.Resolver = class extends Resolver {
  async resolve4(hostname) {
    return hostname === 'rebinding.test' ? [addresses[count++ % addresses.length]] : super.resolve4(hostname);
  }

  async resolve6(hostname) {
    return hostname === 'rebinding.test' ? [] : super.resolve6(hostname);
  }
};
