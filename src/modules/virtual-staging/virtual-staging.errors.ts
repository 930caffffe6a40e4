import { DomainError } from '../../../packages/errors/src/domain-error.js';
import type { VirtualStagingStatus } from './virtual-staging.entity.js';
import { createSection, defineErrors, type ErrorDefinition } from '../../../packages/errors/src/error-definition.js';
import { RECORD_ERRORS } from '../../records/records.errors.js';

export const STAGING_ERRORS = defineErrors(createSection('Virtual staging', 'virtual-staging'), {
  not_queued: {
    kind: 'conflict',
    message: 'The virtual staging has the status "processing". Only a queued virtual staging can be changed.',
    meaning: 'Only a queued virtual staging can be changed: a renderer has claimed this one, or it has ended.',
    remedy: 'Cancel it and create another one.',
  },
  claim_lost: {
    kind: 'conflict',
    message:
      'The claim is not valid: its lease expired, or the virtual staging was finished, cancelled, archived or claimed by another renderer. Nothing was stored; claim the next one.',
    meaning:
      'The lease of the renderer expired, or the virtual staging was cancelled, archived or claimed by another one. Nothing was stored.',
    remedy: 'Claim the next one; send a heartbeat more often.',
  },
  unknown_file: {
    kind: 'unprocessable',
    message: 'sourceFileId is not the ID of an attachment of the workspace.',
    meaning: '`sourceFileId` is not a file of the workspace: the ID is wrong or belongs to another workspace.',
    remedy: 'Send the ID of an attachment, or the image itself.',
  },
  not_an_image: {
    kind: 'unprocessable',
    message: 'sourceFileId must name an image. The attachment has the type "pdf".',
    meaning: 'The file is not an image, as those of virtual stagings and variations are.',
    remedy: 'Send an image.',
  },
  no_variations: {
    kind: 'unprocessable',
    message:
      'A virtual staging requires at least one variation to succeed. Add it first, or report the error with /fail.',
    meaning: 'The renderer completed the virtual staging without a variation.',
    remedy: 'Add a variation first, or report the error with `fail`.',
  },
  too_many_variations: {
    kind: 'unprocessable',
    message: '3 more variations exceed the limit of 50; the virtual staging has 48.',
    meaning: 'The virtual staging would have more variations than the limit in the message.',
    remedy: 'Complete it, and create another one for more variations.',
  },
});

/** The errors 409 of all routes. */
export const STAGING_CONFLICTS = [
  STAGING_ERRORS.claim_lost,
  STAGING_ERRORS.not_queued,
  RECORD_ERRORS.already_finished,
  RECORD_ERRORS.archived,
  RECORD_ERRORS.external_id_taken,
  RECORD_ERRORS.parent_immutable,
];

/** The errors 422 of routes that take images. */
export const INVALID_STAGING = [
  STAGING_ERRORS.not_an_image,
  STAGING_ERRORS.unknown_file,
  STAGING_ERRORS.no_variations,
  STAGING_ERRORS.too_many_variations,
];

/** A renderer has claimed the virtual staging, so that its input can no longer change. */
export class NotQueuedError extends DomainError {
  constructor(status: VirtualStagingStatus) {
    const message = `The virtual staging has the status "${status}". Only a queued virtual staging can be changed.`;
    super(STAGING_ERRORS.not_queued, message);
  }
}

/** The status is final. */
export class AlreadyFinishedError extends DomainError {
  constructor(status: VirtualStagingStatus) {
    const message = `The virtual staging already has the final status "${status}". Nothing was changed; claim the next one.`;
    super(RECORD_ERRORS.already_finished, message);
  }
}

/** The source image or a variation is missing or not acceptable. */
export class InvalidStagingError extends DomainError {
  constructor(definition: ErrorDefinition, field: string, message?: string) {
    super(definition, message, { field });
  }
}
