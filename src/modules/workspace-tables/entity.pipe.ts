import { Injectable, type PipeTransform } from '@nestjs/common';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { type EntityKind, type Surface, SURFACES } from './entity-kind.js';

/** Reads the entity of a path: `locations`, `assets` or `lists`. */
@Injectable()
export class EntityPipe implements PipeTransform<string, EntityKind> {
  /** @throws {NotFoundError} */
  transform(value: string): EntityKind {
    if (Object.hasOwn(SURFACES, value)) return SURFACES[value as Surface];
    throw new NotFoundError(`The path "${value.slice(0, 80)}"`);
  }
}
