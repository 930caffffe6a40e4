import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationNames } from './operation-ids.js';
import type { Webhooks } from './webhooks.js';
import { operationsOf } from './operations.js';

/** A group of operations in the document, with its guide. */
export interface ApiTag {
  name: string;
  /** Two sentences: what the operations do, and what the caller needs to know first. */
  description: string;
  /** Name of a file in `docs`, without extension. */
  guide: string;
}

/** What the document says about the operations as a whole, which no module knows. */
export interface ApiReference {
  tokenPath: string;
  operationNames: OperationNames;
  /** In the order of the document. */
  tags: readonly ApiTag[];
  /** Classes with the fields of many records. */
  recordModels: readonly Type[];
  /** The requests that the service sends. */
  webhooks: Webhooks;
}

/**
 * Lists the tags in the order of the reference; tags that it does not contain follow.
 *
 * @param publicUrl the address of the guides
 */
export function declareTags(document: OpenAPIObject, tags: readonly ApiTag[], publicUrl: string): void {
  const declared = tags.map(({ name, description, guide }) => ({
    name,
    description,
    externalDocs: { url: `${publicUrl}/guide/${guide}` },
  }));
  const names = new Set([
    ...declared.map(({ name }) => name),
    ...operationsOf(document).flatMap((operation) => operation.tags ?? []),
  ]);
  document.tags = [...names].map((name) => declared.find((tag) => tag.name === name) ?? { name });
}
