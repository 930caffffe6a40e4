import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const STREAMED = Symbol('streamed-body');

/** The body is left to a guard of the route, which takes it with `FileBodies.receive`: it is never whole in memory. */
export const StreamedBody = (): MethodDecorator => SetMetadata(STREAMED, true);

export function isStreamed(context: ExecutionContext): boolean {
  return Reflect.getMetadata(STREAMED, context.getHandler()) === true;
}
