import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

/** Errors of the operator CLI. */
export const TRANSFER_ERRORS = defineErrors(createSection('Exports of workspaces', 'operating'), {
  export_damaged: {
    kind: 'unprocessable',
    message: 'The file is not a complete export of a workspace: manifest.json is missing. Nothing was imported.',
    meaning:
      'The file is not an export, was cut, or was changed: its content does not match the checksums of its manifest.',
    remedy: 'Copy the file again, or export the workspace again.',
  },
  export_too_new: {
    kind: 'conflict',
    message: 'The export is of a newer version of the service. Upgrade this service first. Nothing was imported.',
    meaning: 'The export has a format, a table or a column that this version does not know.',
    remedy: 'Upgrade the service that imports, or export with its version.',
  },
  workspace_exists: {
    kind: 'conflict',
    message: 'This service has the workspace already. Nothing was imported.',
    meaning: 'A workspace with the ID of the exported one exists, or is deleted and not removed yet.',
    remedy: 'Import into another service, or delete the workspace with `--now` first.',
  },
  record_exists: {
    kind: 'conflict',
    message: 'This service has a tag or another record with an ID of the export. Nothing was imported.',
    meaning: 'IDs of records are unique in a service. Those of tags are small numbers, which two services both assign.',
    remedy: 'Import into a service without tags of the same numbers, such as a new one.',
  },
  exported_file_missing: {
    kind: 'internal',
    message: 'A file of the workspace is missing or damaged. Nothing was exported.',
    meaning: 'The storage lacks a file of an attachment, or has other bytes.',
    remedy:
      'Run `attachments verify`, and restore the file from a backup. If it was removed during the export, repeat it.',
  },
  file_exists: {
    kind: 'conflict',
    message: 'The file exists already. Choose another name.',
    meaning: 'The file to be written exists.',
    remedy: 'Choose another name, or remove the file.',
  },
});

/** The file is not a complete and unchanged export. @param reason without a period. */
export class DamagedExportError extends DomainError {
  constructor(reason: string, cause?: unknown) {
    const message = `The file is not a complete export of a workspace: ${reason}. Nothing was imported.`;
    super(TRANSFER_ERRORS.export_damaged, message, { cause });
  }
}

/** @param what this service does not know, as the beginning of a sentence. */
export class ExportTooNewError extends DomainError {
  constructor(what: string) {
    const message = `${what} is not known to this version of the service. Upgrade it first. Nothing was imported.`;
    super(TRANSFER_ERRORS.export_too_new, message);
  }
}

export class WorkspaceExistsError extends DomainError {
  constructor(id: string) {
    super(TRANSFER_ERRORS.workspace_exists, `This service has the workspace ${id} already. Nothing was imported.`);
  }
}

export class ExportedFileMissingError extends DomainError {
  constructor(sha256: string, cause?: unknown) {
    const message = `The file ${sha256} of the workspace is missing or damaged. Nothing was exported.`;
    super(TRANSFER_ERRORS.exported_file_missing, message, { cause });
  }
}

export class FileExistsError extends DomainError {
  constructor(path: string) {
    super(TRANSFER_ERRORS.file_exists, `The file ${path} exists already. Choose another name.`);
  }
}
