/** Path of the token endpoint (specification, section 4.1): in claims of tokens, in discovery and in the OpenAPI document. */
export const TOKEN_PATH = '/v1/api/oauth2/token';
