import type { Type } from '@nestjs/common';
import type { OperationNames } from './operation-ids.js';
import type { Webhooks } from './webhooks.js';

/** What the document says about the operations as a whole, which no module knows. */
export interface ApiReference {
  tokenPath: string;
  operationNames: OperationNames;
  /** Names of groups in the order of the document. Groups that are not listed are before the last one. */
  groups: readonly string[];
  /** IDs of operations, other than DELETE, that end what they act on. Swagger UI lists them last, in this order. */
  endingOperations: readonly string[];
  /** IDs of operations, other than PATCH and PUT, that replace a value which others use, such as a secret. */
  replacingOperations: readonly string[];
  /** The records that an operation accepts, by its ID: the values that a field of the record can have. */
  acceptedRecords: Readonly<Record<string, { field: string; values: readonly string[] }>>;
  /** The operations that create what an operation acts on, by its ID, if they are not the POST of its collection. */
  preparations: Readonly<Record<string, readonly string[]>>;
  /** Collections without a list: the list that contains their records, and its field. */
  containedRecords: Readonly<Record<string, { list: string; field: string }>>;
  /** Classes with the fields of many records. */
  recordModels: readonly Type[];
  /** The requests that the service sends. */
  webhooks: Webhooks;
}
