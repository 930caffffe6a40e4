/**
 * Words that no identifier, message, comment or document contains, each with what to write
 * (docs/reference/glossary.md).
 */

const each = (words, write) => Object.fromEntries(words.split(' ').map((word) => [word, write]));

/** Words of camel-case identifiers. */
export const BANNED_IDENTIFIER_WORDS = {
  ...each('place places placed', 'the noun: position, reference, parent, field path'),
  ...each('stranger strangers nobody somebody', 'anonymous caller'),
  ...each('whoever whom', 'the caller'),
  ...each('tell tells told', 'report, return, append or contain'),
  ...each('judge judges judged', 'validate or authorize'),
  ...each('refuse refuses refused refusal refusals', 'reject, rejected or rejection'),
  ...each('land lands landed', 'store or upload'),
  ...each('held holds holding', 'deferred, pending, leased, or contain'),
  ...each('anew', 'again, retry or recreate'),
  ...each('beside alongside', 'next to, or in addition to'),
  ...each('apart', 'outside the transaction, or separately'),
  ...each('fault faults faulty', 'error, errors or invalid'),
  ...each('standing stands', 'status, existing or current'),
  ...each('door doors', 'public API'),
  ...each('arrow arrows', 'dependency'),
  ...each('house', 'architecture'),
  ...each('room rooms', 'module, or capacity'),
  ...each('habit habits', 'rule'),
  ...each('desk', 'operator CLI'),
  ...each('spool spools', 'temporary files'),
  ...each('journey journeys', 'end-to-end test'),
  ...each('sweep sweeps sweeper swept', 'cleanup'),
  ...each('intake', 'import or upload'),
  ...each('stretch stretches', 'keyset condition'),
  ...each('pointer pointers pointing', 'reference'),
  ...each('follower followers', 'referrer, or event consumer'),
  ...each('happening happenings', 'event'),
  ...each('enrol enrolled enrolment', 'membership'),
  ...each('tenant tenants', 'workspace'),
  ...each('bury buried', 'delete'),
  ...each('lingering', 'unread'),
  ...each('throwaway', 'generated'),
};

/** Identifiers with a banned word: the wire field `roomType` means a real room, and a removed setting has its name. */
export const ALLOWED_IDENTIFIERS = /roomType|UPLOAD_SPOOL_BYTES/i;

const phrase = (words, write, unless) => ({ pattern: new RegExp(`\\b(?:${words})\\b`, 'gi'), write, unless });

/**
 * Phrases of messages, comments, titles and documents. `unless` matches the surroundings in which a phrase is allowed.
 */
export const BANNED_PHRASES = [
  phrase('in the place of|takes? the place of', 'replaces'),
  phrase(
    'places?|placed',
    'the noun: position, reference, parent, field path',
    /marketplace|decimal place|in place\b/i,
  ),
  phrase('strangers?', 'anonymous caller'),
  phrase('whoever|whomever|somebody|nobody|everybody', 'the caller, a user, or no caller'),
  phrase('tells?|told|telling', 'report, return, append or contain'),
  phrase('judges?|judged|judging', 'validate or authorize'),
  phrase('refus(?:e|es|ed|ing|al|als)', 'reject', /connection refused|ECONNREFUSED/i),
  phrase('anew|once more', 'again, retry or recreate'),
  phrase('beside|alongside', 'next to, or in addition to'),
  phrase('at fault|faulty|faults?', 'invalid, error', /fault injection|segmentation fault/i),
  phrase('put away|puts away', 'archive'),
  phrase('doors?|arrows?|habits?', 'public API, dependency, rule', /Authorize dialog/i),
  phrase('the house|house rules?|this house', 'architecture'),
  phrase('at the desk|desks?', 'operator CLI'),
  phrase('spools?|spooled', 'temporary files'),
  phrase('journeys?', 'end-to-end tests'),
  phrase('sweep(?:s|er|ing)?|swept', 'cleanup job'),
  phrase('is no(?! longer)|are no(?! longer)', 'is not a, or there is no', /there (is|are) no|if there is no/i),
  phrase('nothing since', 'no changes since'),
  phrase('is to be|are to be', 'must'),
  phrase('has to|have to', 'must'),
  phrase('where there (?:is|are) none|where there is no(?:ne|thing)', 'if absent'),
  phrase('hearsay|hear of|heard of|hears of|heard from', 'is informed of'),
  phrase('as they lie|where it lies|lies in|lie in|lie together|lying', 'is in, is stored in'),
  phrase(
    'stands? (?:in|at|for|on|there|alone|once|twice|still|out|below|above|already)|it stands|stood',
    'is, exists, is defined, applies',
  ),
  phrase('comes? to (?:be|have|wait|stand|it)|came to|comes? back|comes? along', 'becomes, returns, is included'),
  phrase('makes? anew|once over|all the same', 'again; anyway'),
  phrase('goes? by', 'uses'),
  phrase('gives? way', 'yields'),
  phrase('sees? to it|see to', 'ensures'),
  phrase('of its own accord|by itself alone', 'automatically'),
  phrase('let(?:s)? go of', 'releases'),
  phrase('lets? in|let us in', 'accepts'),
  phrase('tenants?', 'workspace'),
  phrase('keeps?|kept|keeping', 'contain, store, retain, or leave unchanged', /keep-alive/i),
  phrase('came|comes?', 'be received, originate, or be'),
  phrase('alone', 'only'),
];

/** Files that must contain the words: the lists themselves, and texts of others. */
export const IGNORED_FILES = [
  /^tools\/banned-words\.mjs$/,
  /^docs\/reference\/glossary\.md$/,
  /check-language\.spec\.ts$/,
  /^CHANGELOG\.md$/,
  /^examples\/plant\//,
  /^test\/fixtures\//,
];
