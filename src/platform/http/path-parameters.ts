import type { Application, Request, Response, NextFunction } from 'express';

const SETTING = 'allowed path parameters';

/**
 * Restricts a path parameter to some values: with another value, a route with the parameter does not match. Express 5
 * has no syntax for this in paths.
 */
export function restrictPathParameter(app: Application, name: string, values: readonly string[]): void {
  app.set(SETTING, { ...(app.get(SETTING) as object | undefined), [name]: values });
  app.param(name, (_request: Request, _response: Response, next: NextFunction, value: string) => {
    if (values.includes(value)) next();
    else next('route');
  });
}

/** Do all restricted parameters of a route have an allowed value? */
export function hasAllowedParameters(app: Application, parameters: Record<string, unknown>): boolean {
  const allowed = (app.get(SETTING) ?? {}) as Record<string, readonly unknown[]>;
  return Object.entries(parameters).every(([name, value]) => allowed[name]?.includes(value) ?? true);
}
