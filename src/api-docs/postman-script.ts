/**
 * The script that Postman executes before each request of the collection: it signs in and chooses a workspace. Its
 * library is described at <https://learning.postman.com/docs/reference/postman-api/pm-object>.
 */
export const SIGN_IN_SCRIPT = `const get = (name) => pm.variables.get(name);
const set = (name, value) => pm.collectionVariables.set(name, String(value));
const url = (path) => pm.variables.replaceIn('{{baseUrl}}') + path;
const receive = (then) => (error, response) => {
  if (error || response.code !== 200) throw new Error('Signing in failed: ' + (error || response.text()));
  then(response.json());
};

const chooseWorkspace = () => {
  const header = { Authorization: 'Bearer ' + get('accessToken') };
  const choose = ({ data }) => {
    const [first] = data.items;
    set('workspaceId', first ? first.id : '');
    set('chosenWorkspaceId', first ? first.id : '');
  };
  pm.sendRequest({ url: url('/v1/api/workspaces'), method: 'GET', header }, receive(choose));
};

const signIn = () => {
  const fields = { grant_type: 'client_credentials', client_id: get('clientId'), client_secret: get('clientSecret') };
  const urlencoded = Object.entries(fields).map(([key, value]) => ({ key, value }));
  const request = { url: url('/v1/api/oauth2/token'), method: 'POST', body: { mode: 'urlencoded', urlencoded } };
  pm.sendRequest(request, receive(({ access_token, expires_in }) => {
    set('accessToken', access_token);
    set('accessTokenExpiresAt', Date.now() + expires_in * 1000);
    set('accessTokenOwner', owner);
    if (!get('workspaceId') || (!isSameOwner && get('workspaceId') === get('chosenWorkspaceId'))) chooseWorkspace();
  }));
};

const owner = get('clientId') + ' ' + url('');
const isSameOwner = get('accessTokenOwner') === owner;
const isSignedIn = isSameOwner && Number(get('accessTokenExpiresAt')) > Date.now() + 60000;
if (get('clientId') && !isSignedIn) signIn();`;

/** The script that Postman executes after each response: the next request signs in again if the session has ended. */
export const SIGN_OUT_SCRIPT = `const path = pm.request.url.getPath();
const hasEnded = /\\/oauth2\\/(logout|revoke)$/.test(path) && pm.response.code === 200;
if (hasEnded || pm.response.code === 401) pm.collectionVariables.set('accessTokenExpiresAt', '');`;
