/** `trust-issuer.js URL SUBJECT USER_ID` trusts the issuer, whose tokens of the subject act as the user. */
import { withServices } from '../src/operator/services.js';

const [url, subject, userId] = process.argv.slice(2) as [string, string, string];

await withServices(async ({ issuers, identities }) => {
  await issuers.add({ url, audience: url, domains: [], claims: issuers.parseClaims(undefined), signIn: null });
  await identities.createClient(userId, url, subject);
});
