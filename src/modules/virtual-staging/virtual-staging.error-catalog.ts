import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const STAGING_ERRORS: ErrorCatalog = {
  title: 'Virtual staging',
  order: 10,
  guide: 'virtual-staging',
  codes: {
    not_queued: {
      meaning: 'Only a queued virtual staging can be changed.',
      cause: 'A renderer has claimed it, or it has ended.',
      remedy: 'Cancel it and create another one.',
    },
    already_finished: {
      meaning: 'The virtual staging or the import has ended.',
      cause: 'It succeeded, failed or was cancelled before. A renderer repeated its last call.',
      remedy: 'Read its status. A renderer claims the next one.',
    },
    claim_lost: {
      meaning: 'The claim of the renderer is not valid. Nothing was stored.',
      cause: 'The lease expired, or the virtual staging was cancelled, archived or claimed by another renderer.',
      remedy: 'Claim the next one; send a heartbeat more often.',
    },
    unknown_file: {
      meaning: '`sourceFileId` is not a file of the workspace.',
      cause: 'The ID is wrong or belongs to another workspace.',
      remedy: 'Send the ID of an attachment, or the image itself.',
    },
    not_an_image: {
      meaning: 'The file is not an image.',
      cause: 'Virtual stagings and variations are images.',
      remedy: 'Send an image.',
    },
    no_variations: {
      meaning: 'The virtual staging has no result.',
      cause: 'The renderer completed it without a variation.',
      remedy: 'Add a variation first, or report the error with `fail`.',
    },
    too_many_variations: {
      meaning: 'The virtual staging would have too many variations.',
      cause: 'The limit is in the message.',
      remedy: 'Complete it, and create another one for more variations.',
    },
  },
};
