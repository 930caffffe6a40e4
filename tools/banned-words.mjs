/**
 * Words that no identifier, message, comment or document contains, each with what to write
 * (docs/reference/glossary.md).
 */

/** Words of identifiers and texts, what to write, and the surroundings in which texts contain them. */
const WORDS = [
  [
    'place places placed',
    'the noun: position, reference, parent, field path',
    /marketplace|decimal place|in place\b|(?:takes?|took|taken|taking) place/i,
  ],
  ['stranger strangers', 'anonymous caller'],
  ['whoever whomever nobody somebody everybody', 'the caller, a user, or no caller'],
  ['tell tells told telling', 'report, return, append or contain'],
  ['judge judges judged judging', 'validate or authorize'],
  ['refuse refuses refused refusing refusal refusals', 'reject or rejection', /connection refused|ECONNREFUSED/i],
  ['land lands landed', 'store or upload'],
  ['anew', 'again, retry or recreate'],
  ['beside alongside', 'next to, or in addition to'],
  ['fault faults faulty', 'error or invalid', /fault injection|segmentation fault/i],
  ['arrow arrows habit habits', 'dependency or rule'],
  ['desk desks', 'operator CLI'],
  ['spool spools spooled', 'temporary files'],
  ['journey journeys', 'end-to-end test'],
  ['sweep sweeps sweeper sweeping swept', 'cleanup job'],
  ['intake', 'import or upload'],
  ['stretch stretches', 'keyset condition'],
  ['happening happenings', 'event'],
  ['enrol enrolled enrolment', 'membership'],
  ['tenant tenants', 'workspace'],
  ['bury buried', 'delete'],
  ['lingering', 'unread'],
  ['throwaway', 'generated'],
];

/** Words that identifiers do not contain, and texts may. */
const IDENTIFIER_WORDS = [
  ['whom', 'the caller'],
  ['held holds holding', 'deferred, pending, leased, or contain'],
  ['apart', 'outside the transaction, or separately'],
  ['standing stands', 'status, existing or current'],
  ['house', 'architecture'],
  ['door doors', 'public API'],
  ['room rooms', 'module, or capacity'],
  ['pointer pointers pointing', 'reference'],
  ['follower followers', 'referrer, or event consumer'],
];

/** What to write, by words of camel-case identifiers. */
export const BANNED_IDENTIFIER_WORDS = Object.fromEntries(
  [...WORDS, ...IDENTIFIER_WORDS].flatMap(([words, write]) => words.split(' ').map((word) => [word, write])),
);

/** Identifiers with a banned word: the wire field `roomType` means a real room. */
export const ALLOWED_IDENTIFIERS = /roomType/i;

const phrase = (words, write, unless) => ({ pattern: new RegExp(`\\b(?:${words})\\b`, 'gi'), write, unless });

/**
 * Phrases of messages, comments, titles and documents. `unless` matches the surroundings in which a phrase is allowed.
 */
export const BANNED_PHRASES = [
  ...WORDS.map(([words, write, unless]) => phrase(words.replaceAll(' ', '|'), write, unless)),
  phrase('in the place of|takes? the place of', 'replaces'),
  phrase('once more', 'again, retry or recreate'),
  phrase('put away|puts away', 'archive'),
  phrase('the house|house rules?|this house', 'architecture'),
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
  phrase('keeps?|kept|keeping', 'contain, store, retain, or leave unchanged', /keep-alive/i),
  phrase('came|comes?', 'be received, originate, or be'),
  phrase('alone', 'only'),
];

/** Files that must contain the words: the lists themselves, and texts of others. */
export const IGNORED_FILES = [
  /^tools\/banned-words\.mjs$/,
  /^docs\/reference\/glossary\.md$/,
  /check-language\.spec\.ts$/,
  /^examples\/plant\//,
  /^test\/fixtures\//,
];
