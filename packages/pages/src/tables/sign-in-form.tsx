import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { completeSignIn, hasReturned, listIssuers, type SignInIssuer, startSignIn } from '../sign-in/issuers.js';
import { ErrorMessage, Status } from './messages.js';
import { createClient, type Credentials, findDemo, signIn, signOut } from './session.js';
import { useLoad } from './use-load.js';

interface Properties {
  /** The service has rejected the credentials of the page. */
  hasEnded: boolean;
  onSignIn: (credentials: Credentials) => void;
}

/** Signs in at an issuer, with a client, an API key, or the demo, if the service offers it to this browser. */
export function SignInForm({ hasEnded, onSignIn }: Properties) {
  const [error, setError] = useState<unknown>();
  const [isWaiting, setWaiting] = useState(false);
  const { data: demo } = useLoad(findDemo, []);
  const { data: issuers = [] } = useLoad(listIssuers, []);

  const signInWith = async (obtain: () => Promise<Credentials>) => {
    setWaiting(true);
    setError(undefined);
    let credentials: Credentials | undefined;
    try {
      credentials = await obtain();
      // A key that is not valid is reported here, not on the next screen.
      await createClient(credentials).get('/v1/api/workspaces', { params: { query: { limit: 1 } } });
      onSignIn(credentials);
    } catch (failure) {
      // The pages of an issuer would replace the error.
      if (credentials && 'tokenSource' in credentials) void credentials.tokenSource.revoke();
      else if (credentials) void signOut(credentials);
      setError(failure);
      setWaiting(false);
    }
  };

  useEffect(() => {
    if (hasReturned()) void signInWith(async () => ({ tokenSource: await completeSignIn() }));
  }, []);

  const leaveFor = (issuer: SignInIssuer) => {
    setError(undefined);
    startSignIn(issuer).catch(setError);
  };

  const submit = (read: (form: FormData) => Promise<Credentials>) => (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void signInWith(() => read(form));
  };
  const textOf = (form: FormData, name: string) => (form.get(name) as string).trim();

  return (
    <>
      <h1 tabIndex={-1}>Sign in</h1>
      {hasEnded && <p role="alert">The sign-in has ended. Sign in again.</p>}
      <Status>{isWaiting ? 'Signing in …' : ''}</Status>
      <ErrorMessage error={error} />
      {demo && (
        <p>
          <button
            type="button"
            class="primary"
            disabled={isWaiting}
            onClick={() => void signInWith(() => signIn(demo.clientId, demo.clientSecret))}
          >
            Use the demo workspace
          </button>
        </p>
      )}
      {issuers.map((issuer) => (
        <p key={issuer.url}>
          <button
            type="button"
            class="primary"
            disabled={isWaiting}
            onClick={() => {
              leaveFor(issuer);
            }}
          >
            Sign in with {issuer.name}
          </button>
        </p>
      ))}
      <div class="forms">
        <form onSubmit={submit((form) => signIn(textOf(form, 'clientId'), textOf(form, 'clientSecret')))}>
          <h2>With a client</h2>
          <label>
            Client ID
            <input name="clientId" autocomplete="username" required />
          </label>
          <label>
            Client secret
            <input name="clientSecret" type="password" autocomplete="current-password" required />
          </label>
          <button disabled={isWaiting}>Sign in</button>
        </form>
        <form onSubmit={submit((form) => Promise.resolve({ apiKey: textOf(form, 'apiKey') }))}>
          <h2>With an API key</h2>
          <label>
            API key
            <input name="apiKey" type="password" autocomplete="off" required />
          </label>
          <button disabled={isWaiting}>Use the key</button>
        </form>
      </div>
      <p class="muted">
        The tab of the browser stores the access token or the API key until it is closed, and no client secret. Of a
        sign-in at an identity provider it stores nothing, so that it ends when the page is left. The page can change
        what you may change: rows, one by one or by a file.
      </p>
    </>
  );
}
