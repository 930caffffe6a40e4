/** An error as response to a form (RFC 6749, section 5.2). */
export class OAuth2ErrorDto {
  /** A code of RFC 6749. */
  error: string;

  /** Description of the error for people. */
  error_description: string;
}
