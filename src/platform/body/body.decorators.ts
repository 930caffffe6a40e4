import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';

/** How a route takes its body. The body guard reads the body accordingly. */
export interface BodyOptions {
  /** A named limit that replaces the default, in bytes. */
  limit?: BodyLimitName;
  /** A sentence that states what to do with a larger body. */
  largeAdvice?: string;
  /** What the body looks like, for the error if it is not an object. */
  shape?: string;
  /** Numbers that a double would round stay the text that was sent. */
  exactNumbers?: boolean;
  /** The field of the body that stays a number nevertheless. */
  roundedField?: string;
  /** `application/x-www-form-urlencoded` in addition to JSON. */
  acceptsForms?: boolean;
  /** `text/plain` instead of JSON: `request.body` is the text. */
  acceptsText?: boolean;
  /** Another type of JSON bodies in addition to `application/json`. */
  jsonType?: string;
  /** `multipart/form-data` in addition to JSON; JSON may contain files under `files`. */
  acceptsFiles?: boolean;
  /** The route reads its body. */
  readsOwn?: boolean;
}

export type BodyLimitName = 'bulk' | 'credentials';

const BODY_OPTIONS = Symbol('body-options');

/** The options that the decorators of the route set. */
export function bodyOptions(context: ExecutionContext): BodyOptions {
  return (Reflect.getMetadata(BODY_OPTIONS, context.getHandler()) ?? {}) as BodyOptions;
}

/** Does the handler take a body, or does a decorator describe one? The body of any other route is ignored. */
export function takesBody(context: ExecutionContext): boolean {
  if (Reflect.hasMetadata(BODY_OPTIONS, context.getHandler())) return true;
  const sources = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as
    object | undefined;
  return Object.keys(sources ?? {}).some((source) => source.startsWith(`${RouteParamtypes.BODY}:`));
}

function setBodyOption(option: BodyOptions): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const known = Reflect.getMetadata(BODY_OPTIONS, handler) as BodyOptions | undefined;
    Reflect.defineMetadata(BODY_OPTIONS, { ...known, ...option }, handler);
  };
}

/** The route takes JSON bodies up to the named limit. @param largeAdvice states what to do with a larger body. */
export const BodyLimit = (limit: BodyLimitName, largeAdvice?: string): MethodDecorator =>
  setBodyOption({ limit, largeAdvice });

/** Describes the route's body, such as `{ assets: [ … ] }`, in the error for a body that is not an object. */
export const BodyShape = (shape: string): MethodDecorator => setBodyOption({ shape });

/**
 * Numbers with more digits than a double can represent reach the route as text, so that it can store or reject them.
 *
 * @param roundedField a field of the body that stays a number.
 */
export const ExactNumbers = (roundedField?: string): MethodDecorator =>
  setBodyOption({ exactNumbers: true, roundedField });

/** The route takes `application/x-www-form-urlencoded` in addition to JSON, as clients of OAuth 2.0 send it. */
export const AcceptsForms = (): MethodDecorator => setBodyOption({ acceptsForms: true });

/** The route takes `text/plain` instead of JSON. The body is a text; undefined if there is none. */
export const AcceptsText = (): MethodDecorator => setBodyOption({ acceptsText: true });

/** The route takes JSON of this type, too, as a protocol requires. */
export const AcceptsJsonAs = (jsonType: string): MethodDecorator => setBodyOption({ jsonType });

/** The route takes files, as `multipart/form-data` or as base64 under `files` of a JSON body; see `@Uploads()`. */
export const AcceptsFiles = (): MethodDecorator => setBodyOption({ acceptsFiles: true });

/** The body guard does not read the body: the route does, by `RequestBodyReader.read` or `BodyReceiver.receive`. */
export const ReadsOwnBody = (): MethodDecorator => setBodyOption({ readsOwn: true });

export const URLENCODED_TYPE = 'application/x-www-form-urlencoded';

/** Was the body sent as `application/x-www-form-urlencoded`? */
export function isForm(request: Request): boolean {
  return Boolean(request.is(URLENCODED_TYPE));
}
