import { applyDecorators } from '@nestjs/common';
import { IsUrl, ValidateBy } from 'class-validator';

/**
 * An HTTP or HTTPS URL that `new URL()` parses. The rules of `IsUrl` and of the WHATWG parser differ: only the first accepts
 * `https://[fe80::1%25eth0]/`, only the second `https://a b/`.
 */
export function HttpUrl(): PropertyDecorator {
  const defaultMessage = () => '$property must be a URL address';
  const validate = (value: unknown) => typeof value === 'string' && URL.canParse(value);
  return applyDecorators(
    IsUrl({ protocols: ['https', 'http'], require_protocol: true, require_tld: false }),
    ValidateBy({ name: 'parsableUrl', validator: { validate, defaultMessage } }),
  );
}
