import type { Type } from '@nestjs/common';
import type { Scope } from '../../platform/security/scopes.js';
import type { RecordChange } from '../../records/archivable-record.js';
import { EventType, EXAMPLE_TIME } from './event-type.decorator.js';

/**
 * Declares the types of the events of records, by change.
 *
 * @param base the class of `data`, with the record in the field `noun`.
 * @param noun what the record is, such as `tour`.
 * @param sample fields of the record that are typical of it.
 */
export function recordEventTypes(
  base: Type<object>,
  noun: string,
  scope: Scope,
  sample?: object,
): Record<RecordChange, Type<object>> {
  const declare = (change: RecordChange, what: string, fields = sample): Type<object> => {
    const dto = class extends base {};
    Object.defineProperty(dto, 'name', { value: `${noun}_${change}_EventDto` });
    EventType(`${noun}.${change}`, `A ${noun} ${what}.`, scope, fields && { sample: { [noun]: fields } })(dto);
    return dto;
  };
  return {
    created: declare('created', 'was created'),
    updated: declare('updated', 'changed'),
    archived: declare('archived', 'was archived', { ...sample, archivedAt: EXAMPLE_TIME }),
    restored: declare('restored', 'was restored'),
  };
}
