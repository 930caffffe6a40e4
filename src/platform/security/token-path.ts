/** Where tokens are given out (specification, section 4.1): in their claims, in discovery, and in the document. */
export const TOKEN_PATH = '/v1/api/oauth2/token';
