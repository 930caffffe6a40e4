import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const ATTACHMENT_ERRORS: ErrorCatalog = {
  title: 'Files',
  order: 7,
  guide: 'notes',
  codes: {
    invalid_signature: {
      meaning: 'The signature of the URL is not valid.',
      cause: 'The URL was altered or truncated, or belongs to another deployment.',
      remedy: 'Use the URL exactly as the record contains it.',
    },
    url_expired: {
      meaning: 'The signed URL has expired.',
      cause: 'It was read longer ago than `ATTACHMENT_URL_TTL_S`.',
      remedy: 'Read the record again for a new URL.',
    },
    upload_expired: {
      meaning: 'The uploaded files were removed before the record was stored.',
      cause: 'The request took longer than unclaimed files are retained.',
      remedy: 'Send the request again.',
    },
  },
};
