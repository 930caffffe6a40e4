// Generated from openapi.json by tools/generate-client-types.mjs (npm run openapi).

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Does not use the database.
         *
         *     Needs no credentials.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description Not ready while the instance drains or the database is unavailable.
         *
         *     Needs no credentials.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics in the text format of Prometheus
         * @description Needs no credentials.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the events of a workspace whose records the scopes grant
         * @description Scope: `read:workspaces`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description Scope: `write:workspaces`.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Subscribe to events
         * @description Scope: `write:workspaces`.
         */
        post: operations["createSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a subscription
         * @description Scope: `write:workspaces`.
         */
        get: operations["getSubscription"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription and its deliveries
         * @description Scope: `write:workspaces`.
         */
        delete: operations["deleteSubscription"];
        options?: never;
        head?: never;
        /**
         * Change, enable or disable a subscription
         * @description Scope: `write:workspaces`.
         */
        patch: operations["changeSubscription"];
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a new signing secret
         * @description Scope: `write:workspaces`.
         */
        post: operations["replaceSubscriptionSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a ping
         * @description Scope: `write:workspaces`.
         */
        post: operations["pingSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again
         * @description Scope: `write:workspaces`.
         */
        post: operations["replayEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries, the newest first
         * @description Scope: `write:workspaces`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/subscriptions/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a delivery
         * @description Scope: `write:workspaces`.
         */
        post: operations["repeatDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the keys that verify access tokens
         * @description For resource servers: the active key, the next key, and retired keys whose tokens are still valid. Read them again if a token has an unknown `kid`.
         *
         *     Needs no credentials.
         */
        get: operations["getKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the OAuth 2.0 metadata
         * @description Standard clients need only the base address of the service and configure themselves from this.
         *
         *     Needs no credentials.
         */
        get: operations["getAuthorizationServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/oauth2/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a token pair
         * @description Signs in with client credentials (`grant_type: password`), in the body or as a Basic header; the header takes precedence. Or continues a session with its latest refresh token (`grant_type: refresh_token`), which is then invalid.
         *
         *     A form (`application/x-www-form-urlencoded`) gets the responses of RFC 6749: `data` without the envelope, and `{ error, error_description }` on failure. Forms may also use `grant_type: client_credentials` for a session without a refresh token, and separate scopes by spaces.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/oauth2/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the current session
         * @description Both of its tokens become invalid, and it no longer counts towards the limit of ten sessions.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/oauth2/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the session of a token (RFC 7009)
         * @description Takes an access token or a refresh token with the credentials of the client that it was issued to, and revokes the whole session. An invalid or already revoked token is a success too.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's sessions
         * @description All active sessions of the user, the newest first; a user has at most ten.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of the caller's sessions
         * @description Takes effect immediately on every instance: its tokens become invalid, and it no longer counts towards the limit of ten sessions. Another session than that of the token requires the scope `api`.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/users/me/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspaces that have invited the caller
         * @description An invitation grants no access until it is accepted. Requires an access token, with any scope; API keys are rejected.
         */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/users/me/invitations/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description All sessions of the caller have access to the workspace from the next request on.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/users/me/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Decline an invitation
         * @description Decline an invitation.
         */
        delete: operations["declineInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users of the caller's workspaces
         * @description Scope: `read:users`.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Invite a user to a workspace
         * @description The email address identifies the user. The service sends no email; the operator issues credentials. The user has no access before accepting the invitation. For an existing member, the fields that are sent are changed.
         *
         *     Scope: `write:users`.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/users/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite up to 1,000 users to workspaces
         * @description In one transaction. Each item has its own outcome. For an existing member, the fields that are sent are changed.
         *
         *     Scope: `write:users`.
         */
        post: operations["createUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Scope: `read:users`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * End a user's membership; it can be restored
         * @description Takes effect immediately: sessions and API keys of the user lose access to the workspace. Callers may leave one of several workspaces, named by `workspaceId`.
         *
         *     Scope: `write:users`.
         */
        delete: operations["archiveUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Fields that are not sent remain unchanged.
         *
         *     Scope: `write:users`.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/v1/api/users/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived user
         * @description Scope: `write:users`.
         */
        post: operations["restoreUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspaces of the caller's workspaces
         * @description Scope: `read:workspaces`.
         */
        get: operations["listWorkspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace
         * @description Scope: `read:workspaces`.
         */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a workspace
         * @description Fields that are not sent remain unchanged.
         *
         *     Scope: `write:workspaces`.
         */
        patch: operations["changeWorkspace"];
        trace?: never;
    };
    "/v1/api/notes/erp/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert master data of the legacy schema
         * @deprecated
         * @description Accepts only `X-API-Key` and stores records in the workspace of the key. Each record is upserted by its external ID into the table of its array: Functional Locations, Assets, Work Centers, Priorities, Categories. The first request creates the tables. Field names match in any letter case; fields without a column are ignored and reported. If several records have the same external ID, the last one is stored. All records are stored or none, unless `onError=continue`. At most 50,000 rows and 50 MB per request.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["pushLegacyRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of the caller's workspaces
         * @description Scope: `read:projects`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description If a project has the `externalId`, it is updated with the fields sent, and the status is 200.
         *
         *     Scope: `write:projects`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description Scope: `read:projects`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /**
         * Archive a project; it can be restored
         * @description Scope: `delete:projects`.
         */
        delete: operations["archiveProject"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Fields that are not sent remain unchanged.
         *
         *     Scope: `write:projects`.
         */
        patch: operations["changeProject"];
        trace?: never;
    };
    "/v1/api/projects/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived project
         * @description Scope: `delete:projects`.
         */
        post: operations["restoreProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/tours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tours of the caller's workspaces
         * @description Scope: `read:tours`.
         */
        get: operations["listTours"];
        put?: never;
        /**
         * Create a tour
         * @description If a tour has the `externalId`, it is updated with the fields sent, and the status is 200.
         *
         *     Scope: `write:tours`.
         */
        post: operations["createTour"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/tours/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create up to 1,000 tours
         * @description Runs in one transaction and returns a result per item. An item with an existing `externalId` updates that record.
         *
         *     Scope: `write:tours`.
         */
        post: operations["createTours"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/tours/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tour
         * @description Scope: `read:tours`.
         */
        get: operations["getTour"];
        put?: never;
        post?: never;
        /**
         * Archive a tour; it can be restored
         * @description Scope: `delete:tours`.
         */
        delete: operations["archiveTour"];
        options?: never;
        head?: never;
        /**
         * Change a tour
         * @description Fields that are not sent remain unchanged.
         *
         *     Scope: `write:tours`.
         */
        patch: operations["changeTour"];
        trace?: never;
    };
    "/v1/api/tours/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived tour
         * @description Scope: `delete:tours`.
         */
        post: operations["restoreTour"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags of the caller's workspaces
         * @description Scope: `read:tours`.
         */
        get: operations["listTags"];
        put?: never;
        /**
         * Create a tag
         * @description If a tag has the `externalId`, it is updated with the fields sent, and the status is 200.
         *
         *     Scope: `write:tours`.
         */
        post: operations["createTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/tags/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create up to 1,000 tags
         * @description Runs in one transaction and returns a result per item. An item with an existing `externalId` updates that record.
         *
         *     Scope: `write:tours`.
         */
        post: operations["createTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/tags/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tag
         * @description Scope: `read:tours`.
         */
        get: operations["getTag"];
        put?: never;
        post?: never;
        /**
         * Archive a tag; it can be restored
         * @description Scope: `delete:tours`.
         */
        delete: operations["archiveTag"];
        options?: never;
        head?: never;
        /**
         * Change a tag
         * @description Fields that are not sent remain unchanged.
         *
         *     Scope: `write:tours`.
         */
        patch: operations["changeTag"];
        trace?: never;
    };
    "/v1/api/tags/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived tag
         * @description Scope: `delete:tours`.
         */
        post: operations["restoreTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes of the caller's workspaces
         * @description Scope: `read:projects`.
         */
        get: operations["listNotes"];
        put?: never;
        /**
         * Create a note, or update the note with this ID (saveThread)
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Scope: `write:projects`.
         */
        post: operations["saveNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/notes/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a message to a note (saveThreadMessage)
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Scope: `write:projects`.
         */
        post: operations["addNoteMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/notes/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages and changes of all notes of a workspace since a cursor
         * @description Scope: `read:projects`.
         */
        get: operations["readNoteFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a note
         * @description Scope: `read:projects`.
         */
        get: operations["getNote"];
        put?: never;
        post?: never;
        /**
         * Archive a note; it can be restored
         * @description Scope: `delete:projects`.
         */
        delete: operations["archiveNote"];
        options?: never;
        head?: never;
        /**
         * Change the fields of a note that are sent, and add files
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Scope: `write:projects`.
         */
        patch: operations["changeNote"];
        trace?: never;
    };
    "/v1/api/notes/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived note
         * @description Scope: `write:projects`.
         */
        post: operations["restoreNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/notes/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a note, oldest first
         * @description Scope: `read:projects`.
         */
        get: operations["listNoteMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/notes/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a note, oldest first
         * @description Scope: `read:projects`.
         */
        get: operations["listNoteEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes of a workspace
         * @description Scope: `read:workspaces`.
         */
        get: operations["listWorkspaceNotes"];
        put?: never;
        /**
         * Create a note on a location or an asset
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["createWorkspaceNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/notes/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages and changes of all notes of a workspace since a cursor
         * @description Scope: `read:workspaces`.
         */
        get: operations["readWorkspaceNoteFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/notes/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a note, oldest first
         * @description Scope: `read:workspaces`.
         */
        get: operations["listWorkspaceNoteMessages"];
        put?: never;
        /**
         * Add a message to a note
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["addWorkspaceNoteMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a note
         * @description Scope: `read:workspaces`.
         */
        get: operations["getWorkspaceNote"];
        put?: never;
        post?: never;
        /**
         * Archive a note; it can be restored
         * @description Scope: `write:workspaces`.
         */
        delete: operations["archiveWorkspaceNote"];
        options?: never;
        head?: never;
        /**
         * Change the fields of a note that are sent, and add files
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Scope: `write:workspaces`.
         */
        patch: operations["changeWorkspaceNote"];
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/notes/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived note
         * @description Scope: `write:workspaces`.
         */
        post: operations["restoreWorkspaceNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/notes/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a note, oldest first
         * @description Scope: `read:workspaces`.
         */
        get: operations["listWorkspaceNoteEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/note-statuses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statuses that notes can have
         * @description Scope: `read:workspaces`.
         */
        get: operations["listNoteStatuses"];
        /**
         * Replace the statuses that notes can have
         * @description Notes retain a removed status until they get another.
         *
         *     Scope: `write:workspaces`.
         */
        put: operations["replaceNoteStatuses"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/saveThread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a note without credentials, or update such a note until a user has written to it
         * @deprecated
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Needs no credentials.
         */
        post: operations["savePublicNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/saveThreadMessage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a message to a note that was created without credentials
         * @deprecated
         * @description Up to 10 `files` in a form, or as base64 in JSON of at most 20 MB. All or nothing.
         *
         *     Needs no credentials.
         */
        post: operations["addPublicNoteMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/attachments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a note or message
         * @description Scope: `read:projects` or `read:workspaces`.
         */
        get: operations["downloadAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/attachments/{id}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the thumbnail of an image, as WebP
         * @description Scope: `read:projects` or `read:workspaces`.
         */
        get: operations["downloadThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/attachments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file by the signed URL in its record
         * @description Needs no credentials.
         */
        get: operations["downloadPublicAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/attachments/{id}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the thumbnail of an image by the signed URL in its record
         * @description Needs no credentials.
         */
        get: operations["downloadPublicThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the virtual stagings of the caller's workspaces
         * @description Scope: `read:tours`.
         */
        get: operations["listVirtualStagings"];
        put?: never;
        /**
         * Create a virtual staging
         * @description If a virtual staging has the `externalId`, it is updated with the fields sent, and the status is 200.
         *
         *     Scope: `write:tours`.
         */
        post: operations["createVirtualStaging"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a virtual staging
         * @description Scope: `read:tours`.
         */
        get: operations["getVirtualStaging"];
        put?: never;
        post?: never;
        /**
         * Archive a virtual staging; it can be restored
         * @description Scope: `delete:tours`.
         */
        delete: operations["archiveVirtualStaging"];
        options?: never;
        head?: never;
        /**
         * Change a virtual staging
         * @description Fields that are not sent remain unchanged.
         *
         *     Scope: `write:tours`.
         */
        patch: operations["changeVirtualStaging"];
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a queued or processing virtual staging
         * @description Scope: `write:tours`.
         */
        post: operations["cancelVirtualStaging"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived virtual staging
         * @description Scope: `delete:tours`.
         */
        post: operations["restoreVirtualStaging"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/claims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim the oldest queued virtual staging
         * @description Sets the status `processing` and starts a lease, which each call of the renderer renews. If the lease expires, the virtual staging is queued again; after five expired leases it fails. If none is queued, `staging` and `claimToken` are null.
         *
         *     Scope: `write:tours`.
         */
        post: operations["claimVirtualStaging"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the lease and report progress
         * @description Scope: `write:tours`.
         */
        post: operations["renewVirtualStagingClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}/variations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add rendered images
         * @description Up to 10 images of 20 MB each per call: as `multipart/form-data` under `files`, or in JSON as base64 or data URI. All of them get the label. The call renews the lease.
         *
         *     Scope: `write:tours`.
         */
        post: operations["addVirtualStagingVariations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete the virtual staging
         * @description Scope: `write:tours`.
         */
        post: operations["completeVirtualStaging"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/virtual-stagings/{id}/fail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report that rendering failed
         * @description Scope: `write:tours`.
         */
        post: operations["failVirtualStaging"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/analytics/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the current notes, tours, tags and virtual stagings of a workspace, project or location
         * @description Scope: `read:analytics`.
         */
        get: operations["getAnalyticsOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/analytics/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count opened, closed and overdue notes by day, week or month, status, priority and assignee
         * @description Without archived notes. The current status, times and location of a note count: a reopened note counts as not closed.
         *
         *     Scope: `read:analytics`.
         */
        get: operations["getNoteAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/analytics/tours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count created and published tours, tags and virtual stagings by day, week or month
         * @description Without archived records. A location contains its tags, and the tours with such a tag with their virtual stagings.
         *
         *     Scope: `read:analytics`.
         */
        get: operations["getTourAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api/analytics/tables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the rows and the unresolved references of each table of a workspace
         * @description Scope: `read:analytics`.
         */
        get: operations["getTableAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List batches, newest first
         * @description Scope: `read:workspaces`.
         */
        get: operations["listBatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a batch
         * @description Scope: `read:workspaces`.
         */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/batches/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a batch
         * @description Restores the rows as they were before it, for 7 days. If rows were changed since, or cannot have their previous values, the status is 409, and they are listed.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["undoBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/locations/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert rows of Locations tables
         * @description Creates missing tables and columns, and upserts rows by primary key, so that it can be repeated. All or nothing, unless `onError=continue`. At most 50,000 rows and 50 MB.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["upsertLocations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/assets/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert rows of Assets tables
         * @description Creates missing tables and columns, and upserts rows by primary key, so that it can be repeated. All or nothing, unless `onError=continue`. At most 50,000 rows and 50 MB.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["upsertAssets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/lists/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert rows of Lists tables
         * @description Creates missing tables and columns, and upserts rows by primary key, so that it can be repeated. All or nothing, unless `onError=continue`. At most 50,000 rows and 50 MB.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["upsertLists"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert rows of tables of all entities
         * @description Creates missing tables and columns, and upserts rows by primary key, so that it can be repeated. All or nothing, unless `onError=continue`. At most 50,000 rows and 50 MB.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["upsertTables"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many rows
         * @description Deletes rows by primary key. Keys without a row are counted as `missing`. All or nothing, unless `onError=continue`: an invalid key, or one that occurs twice, is an error.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["deleteRows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import rows into a table
         * @description Upserts rows by primary key from a file of any length, by the rules of bulk: a JSON object per line, or CSV whose header names the columns by key or name and in which an empty cell is null. The table must exist. All or nothing, unless `onError=continue`. Errors contain the line.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["importRows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import rows into several tables in one transaction
         * @description A form with one part per table, named `{entity}/{table}`, in any order. A first part `columns` (JSON) creates tables. The parameters hold for all parts.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["importTables"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a file with a table
         * @description Streams what `mode=replace` would change, a JSON object per line in the order of the keys, after the errors. Writes nothing.
         *
         *     Scope: `read:workspaces`.
         */
        post: operations["compareRows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the imports of the last 30 days, newest first
         * @description Scope: `read:workspaces`.
         */
        get: operations["listImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress or outcome of an import
         * @description Scope: `read:workspaces`.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        /**
         * Cancel an import in progress
         * @description Nothing of it is stored. The request that uploads its file receives 409 within about a second.
         *
         *     Scope: `write:workspaces`.
         */
        delete: operations["cancelImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/imports/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download all errors of an import
         * @description Each with the rejected row as it was sent. Available as long as the record of the import, for 30 days.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["downloadImportErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/locations/{table}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read rows of a Locations table
         * @description Returns a page of rows. The `Link` header contains the URL of the next page. With `Accept: application/x-ndjson` or `text/csv` it streams all rows, as the export does.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["readLocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/assets/{table}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read rows of an Assets table
         * @description Returns a page of rows. The `Link` header contains the URL of the next page. With `Accept: application/x-ndjson` or `text/csv` it streams all rows, as the export does.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["readAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/lists/{table}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read rows of a Lists table
         * @description Returns a page of rows. The `Link` header contains the URL of the next page. With `Accept: application/x-ndjson` or `text/csv` it streams all rows, as the export does.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["readLists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read rows with the query as a body, for queries that are too long for a URL
         * @description Returns a page of rows. For the next page, send the same body with `nextCursor` as its `cursor`. With `Accept: application/x-ndjson` or `text/csv` it streams all rows, as the export does.
         *
         *     Scope: `read:workspaces`.
         */
        post: operations["queryRows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the rows of a table
         * @description Streams all rows of the query from one snapshot, as CSV or as NDJSON, by the header `Accept`. The `ETag` is its revision, at which the change feed continues. In CSV, a text that starts like a formula is preceded by an apostrophe.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["exportRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/{key}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the children of a row
         * @description Accepts the parameters of the items operation. The parent row may be absent.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["listChildRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/item/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the children of a row
         * @description Accepts the parameters of the items operation. The parent row may be absent.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["listChildRowsByKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/unresolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List references of a table whose target row does not exist
         * @description Scope: `read:workspaces`.
         */
        get: operations["listUnresolvedReferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the change feed of a table
         * @description Rows that were written or deleted after a revision, ordered by revision and key. Each row appears once, in its current state. Deleted rows are listed for 30 days. For an older `since` the status is 410; export the table instead.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["listRowChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a row
         * @description Scope: `read:workspaces`.
         */
        get: operations["getRow"];
        /**
         * Create or replace a row: omitted values become empty
         * @description Scope: `write:workspaces`.
         */
        put: operations["putRow"];
        post?: never;
        /**
         * Delete a row
         * @description Scope: `write:workspaces`.
         */
        delete: operations["deleteRow"];
        options?: never;
        head?: never;
        /**
         * Change values of a row
         * @description Scope: `write:workspaces`.
         */
        patch: operations["patchRow"];
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/item": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a row
         * @description Scope: `read:workspaces`.
         */
        get: operations["getRowByKey"];
        /**
         * Create or replace a row: omitted values become empty
         * @description Scope: `write:workspaces`.
         */
        put: operations["putRowByKey"];
        post?: never;
        /**
         * Delete a row
         * @description Scope: `write:workspaces`.
         */
        delete: operations["deleteRowByKey"];
        options?: never;
        head?: never;
        /**
         * Change values of a row
         * @description Scope: `write:workspaces`.
         */
        patch: operations["patchRowByKey"];
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/{key}/path": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rows above a row, from the top of the hierarchy
         * @description Scope: `read:workspaces`.
         */
        get: operations["getRowPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/item/path": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rows above a row, from the top of the hierarchy
         * @description Scope: `read:workspaces`.
         */
        get: operations["getRowPathByKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/{key}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a row
         * @description Changes the key of the row, and all parents, references and notes in the workspace that name it, all or nothing. References that another table can serve, too, remain and are counted as `ambiguous`. The key that the row already has changes nothing.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["renameRow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/item/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a row
         * @description Changes the key of the row, and all parents, references and notes in the workspace that name it, all or nothing. References that another table can serve, too, remain and are counted as `ambiguous`. The key that the row already has changes nothing.
         *
         *     Scope: `write:workspaces`.
         */
        post: operations["renameRowByKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tables
         * @description Ordered by name. The `Link` header contains the next page.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["listTables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a table with its columns
         * @description Filters and sorting work on every column. Without an index they read the whole table, which takes seconds for millions of rows. Set `options.indexed` for columns that are queried often; create an index over several columns for pages that filter and sort by different columns. The `ETag` changes with the revision, which every change of a row or column increments, and with the states of indexes. `If-Match` compares only the revision.
         *
         *     Scope: `read:workspaces`.
         */
        get: operations["getTable"];
        /**
         * Edit a table
         * @description Renames the table, adds columns, and edits names, descriptions, options and the `required` flag of columns. Omitted attributes remain unchanged. All or nothing; a request without changes does not increment the revision. It never drops a column, changes a type or changes the primary key. A rename needs `confirm`. Indexes of `options.indexed` are built in the background; requests do not wait for them. Texts of indexed columns have at most 1,000 characters.
         *
         *     Scope: `write:workspaces`.
         */
        put: operations["editTable"];
        post?: never;
        /**
         * Drop a table
         * @description Drops the table and its rows permanently. Notes and tags on its rows still contain the key of the row, but not its name. References to its rows are unresolved until another table has its name.
         *
         *     Scope: `write:workspaces`.
         */
        delete: operations["dropTable"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/columns/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drop a column
         * @description Drops the column and its values permanently. The primary key cannot be dropped.
         *
         *     Scope: `write:workspaces`.
         */
        delete: operations["dropColumn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/indexes/{columns}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create an index over several columns
         * @description Serves pages with `eq` filters on its first columns that are sorted by its last one, in both directions. It is built in the background; `indexes` of the table contains its state. An existing index remains unchanged; a failed one is retried. A table has at most 5. A dropped column drops its indexes. The revision remains unchanged.
         *
         *     Scope: `write:workspaces`.
         */
        put: operations["createIndex"];
        post?: never;
        /**
         * Drop an index over several columns
         * @description Scope: `write:workspaces`.
         */
        delete: operations["dropIndex"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "import.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "import.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "import.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.invited": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.message_created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "project.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "project.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "project.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "project.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "table.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "table.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "table.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "table.rows_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tag.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tag.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tag.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tag.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tour.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tour.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tour.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tour.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "virtual_staging.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "virtual_staging.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "virtual_staging.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "virtual_staging.queued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A test. */
        post: operations["receivePing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        FieldErrorDto: {
            /**
             * @description Path of the field in the request.
             * @example assets[0].columns[2].type
             */
            field?: string;
            /**
             * @description Stable machine-readable code.
             * @example type_mismatch
             */
            code: string;
            /**
             * @description What is wrong and what is allowed.
             * @example "heavy" is not a number.
             */
            message: string;
        };
        ErrorCountDto: {
            code: string;
            /** @example weight */
            column?: string;
            count: number;
        };
        ErrorDetailsDto: {
            /** @description The first 1,000 errors. */
            errors?: components["schemas"]["FieldErrorDto"][];
        } & components["schemas"]["ErrorCountsDto"];
        ErrorDto: {
            /** @description The single errors, or the limit and the actual value. */
            details?: components["schemas"]["ErrorDetailsDto"];
        } & components["schemas"]["ErrorBaseDto"];
        Envelope: {
            /** @description HTTP status code of the result. */
            status: number;
            /**
             * @description Text about the result for people.
             * @example OK
             */
            message: string;
            /** @description Milliseconds since the Unix epoch. */
            timestamp: number;
        };
        /** @enum {string} */
        EventSource: "api" | "workspace" | "public" | "service";
        EventActorDto: {
            /**
             * Format: uuid
             * @description Null for anonymous callers and for the service itself.
             */
            userId: string | null;
            source: components["schemas"]["EventSource"];
        };
        EventDto: {
            /** Format: uuid */
            id: string;
            /** @example table.rows_changed */
            type: string;
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            workspaceId: string;
            /** @description 1, 2, 3, … in the workspace; null for `ping`. */
            sequence: number | null;
            /** @description A record that is too large is cut to its IDs; then `truncated` is true. */
            data: {
                [key: string]: unknown;
            };
            actor: components["schemas"]["EventActorDto"];
        };
        EventListDto: {
            /** @description Number of the last event of the workspace. */
            latestSequence: number;
            /** @description The next `after`. */
            nextCursor: number;
            /** @description In the order of `sequence`. */
            events: components["schemas"]["EventDto"][];
            hasMore: boolean;
        };
        /** @enum {string} */
        SubscriptionStatus: "enabled" | "disabled";
        /** @enum {string} */
        DisabledReason: "gone" | "failing" | "caller" | "operator";
        SubscriptionDto: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspaceId: string;
            status: components["schemas"]["SubscriptionStatus"];
            /** @description `gone`: the receiver answered 410; `failing`: all attempts of five days failed. */
            disabledReason: components["schemas"]["DisabledReason"] | null;
            url: string;
            events: string[];
            description: string | null;
            /** @description Signs deliveries. Only in the responses that issue it. */
            secret?: string;
        } & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        CreateSubscriptionDto: {
            /**
             * Format: uri
             * @description HTTPS, with a public address.
             */
            url: string;
            /**
             * @description Types of events; `note.*` is every type of notes, `*` is every type.
             * @example [
             *       "note.*",
             *       "table.rows_changed"
             *     ]
             */
            events: string[];
            description?: string | null;
            /**
             * @default enabled
             * @enum {string}
             */
            status?: "enabled" | "disabled";
        };
        SubscriptionPageDto: {
            items: components["schemas"]["SubscriptionDto"][];
        } & components["schemas"]["PageEndDto"];
        ChangeSubscriptionDto: {
            /**
             * Format: uri
             * @description HTTPS, with a public address.
             */
            url?: string;
            /** @description Types of events; `note.*` is every type of notes, `*` is every type. */
            events?: string[];
            description?: string | null;
            /** @enum {string} */
            status?: "enabled" | "disabled";
        };
        /** @enum {string} */
        DeliveryStatus: "pending" | "succeeded" | "failed";
        DeliveredEventDto: {
            /** Format: uuid */
            id: string;
            /** @example note.created */
            type: string;
            sequence: number | null;
        };
        DeliveryAttemptDto: {
            /** Format: date-time */
            at: string;
            /** @description Null if no response was received. */
            responseStatus: number | null;
            durationMs: number;
            /** @description The first KiB. */
            responseBody: string | null;
            error: string | null;
        };
        DeliveryDto: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["DeliveryStatus"];
            event: components["schemas"]["DeliveredEventDto"];
            /** Format: date-time */
            nextAttemptAt: string | null;
            attempts: components["schemas"]["DeliveryAttemptDto"][];
            /** Format: date-time */
            createdAt: string;
        };
        DeliveryPageDto: {
            items: components["schemas"]["DeliveryDto"][];
        } & components["schemas"]["PageEndDto"];
        JwkDto: {
            /** @enum {string} */
            kty: "EC";
            /** @enum {string} */
            crv: "P-256";
            /** @example f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU */
            x: string;
            /** @example x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0 */
            y: string;
            /**
             * @description The `kid` header of the tokens that it signs.
             * @example 0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a
             */
            kid: string;
            /** @enum {string} */
            use: "sig";
            /** @enum {string} */
            alg: "ES256";
        };
        JwksDto: {
            keys: components["schemas"]["JwkDto"][];
        };
        /** @enum {string} */
        Scope: "api" | "read:tours" | "write:tours" | "delete:tours" | "read:projects" | "write:projects" | "delete:projects" | "read:users" | "write:users" | "read:analytics" | "read:workspaces" | "write:workspaces";
        AuthorizationServerDto: {
            /**
             * Format: uri
             * @description The `iss` claim of the tokens.
             */
            issuer: string;
            /** Format: uri */
            token_endpoint: string;
            /**
             * Format: uri
             * @description RFC 7009.
             */
            revocation_endpoint: string;
            /**
             * Format: uri
             * @description The keys that verify access tokens.
             */
            jwks_uri: string;
            scopes_supported: components["schemas"]["Scope"][];
            /**
             * @description Empty, because there is no authorization endpoint.
             * @example []
             */
            response_types_supported: string[];
            /**
             * @example [
             *       "password",
             *       "client_credentials",
             *       "refresh_token"
             *     ]
             */
            grant_types_supported: string[];
            /**
             * @example [
             *       "client_secret_basic",
             *       "client_secret_post"
             *     ]
             */
            token_endpoint_auth_methods_supported: string[];
            /**
             * @example [
             *       "client_secret_basic",
             *       "client_secret_post"
             *     ]
             */
            revocation_endpoint_auth_methods_supported: string[];
            /**
             * Format: uri
             * @description Documentation for people.
             */
            service_documentation: string;
        };
        TokenResponseDto: {
            /**
             * @description JWT for the `Authorization: Bearer` header.
             * @example eyJ…
             */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description Lifetime of the access token in seconds. */
            expires_in: number;
            /**
             * @description JWT for the refresh_token grant, valid once. Absent with the client_credentials grant.
             * @example eyJ…
             */
            refresh_token?: string;
            /**
             * @description The granted scopes, separated by spaces.
             * @example api
             */
            scope: string;
        };
        OAuth2ErrorDto: {
            /** @description A code of RFC 6749. */
            error: string;
            /** @description Description of the error for people. */
            error_description: string;
        };
        TokenRequestDto: {
            /**
             * @description Required unless the Basic header is sent or the request is a refresh.
             * @example wsc_…
             */
            client_id?: string;
            /**
             * @description Required unless the Basic header is sent or the request is a refresh.
             * @example wss_…
             */
            client_secret?: string;
            /**
             * @description `password` signs in with client credentials; `refresh_token` continues a session. Forms may also use
             *     `client_credentials` for a session without a refresh token.
             * @example password
             * @enum {string}
             */
            grant_type: "password" | "refresh_token" | "client_credentials";
            /**
             * @description Scopes of the access token; `["api"]` by default. In a form, one string with spaces between scopes. A refresh may narrow it, never widen it.
             * @example [
             *       "api"
             *     ]
             */
            scope?: components["schemas"]["Scope"][];
            /** @description Required with the refresh_token grant: the latest refresh token. It is valid once. */
            refresh_token?: string;
        };
        RevocationRequestDto: {
            /** @description Required unless the Basic header is sent or the request is a refresh. */
            client_id?: string;
            /** @description Required unless the Basic header is sent or the request is a refresh. */
            client_secret?: string;
            /**
             * @description An access token or a refresh token. Either revokes the whole session.
             * @example eyJ…
             */
            token?: string;
            /**
             * @description Accepted but not needed: the type of a token is in its header.
             * @enum {string}
             */
            token_type_hint?: "access_token" | "refresh_token";
        };
        SessionDto: {
            /** Format: uuid */
            id: string;
            /**
             * @description The client that signed in.
             * @example wsc_…
             */
            clientId: string;
            /**
             * @description The scopes that its access tokens may have.
             * @example [
             *       "api"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last sign-in or refresh.
             */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description Time at which it ends unless it is refreshed.
             */
            expiresAt: string;
            /** @description True for the session of this request. */
            current: boolean;
        };
        SessionListDto: {
            items: components["schemas"]["SessionDto"][];
        };
        InvitationDto: {
            /** Format: uuid */
            workspaceId: string;
            /** @example Northern plants */
            workspaceName: string;
            /** Format: date-time */
            createdAt: string;
        };
        InvitationListDto: {
            items: components["schemas"]["InvitationDto"][];
        };
        /** @enum {string} */
        UserStatus: "active" | "suspended";
        MembershipDto: {
            /** Format: uuid */
            workspaceId: string;
            /** @example Ada Lovelace */
            displayName: string | null;
            /** @example SAP-10004711 */
            externalId: string | null;
            status: components["schemas"]["UserStatus"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time from which the membership is valid; null while it is an invitation.
             */
            acceptedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the membership ended.
             */
            archivedAt: string | null;
        };
        UserDto: WithRequired<components["schemas"]["UserFields"], "id" | "externalId" | "archivedAt" | "email" | "displayName" | "status" | "memberships"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        CreateUserDto: {
            /**
             * Format: uuid
             * @description Required only if the caller is a member of several workspaces.
             */
            workspaceId?: string | null;
            /**
             * Format: email
             * @description Case-insensitive. The service sends no email.
             */
            email: string;
            /** @description The name of the user in this workspace; other workspaces have their own names for the same user. */
            displayName?: string | null;
            externalId?: string | null;
        };
        /** @enum {string} */
        BulkItemOutcome: "created" | "updated" | "failed";
        BulkItemDto: {
            /** @description Index in `items`, from 0. */
            index: number;
            outcome: components["schemas"]["BulkItemOutcome"];
            id: (string | number) | null;
            externalId: string | null;
            errors: components["schemas"]["FieldErrorDto"][];
        };
        BulkCreatedDto: {
            received: number;
            created: number;
            /** @description Items whose external ID existed, including those without a change. */
            updated: number;
            failed: number;
            items: components["schemas"]["BulkItemDto"][];
        };
        UsersBulkDto: {
            items: components["schemas"]["CreateUserDto"][];
        };
        UserPageDto: {
            items: components["schemas"]["UserFields"][];
        } & components["schemas"]["PageEndDto"];
        ChangeUserDto: {
            /** @description The name of the user in this workspace; other workspaces have their own names for the same user. */
            displayName?: string | null;
            externalId?: string | null;
            /**
             * @description A suspended user has no access to the workspace from the next request on. Other workspaces of the user are not affected.
             * @enum {string}
             */
            status?: "active" | "suspended";
        };
        WorkspaceStatusDto: {
            /** @example in_progress */
            key: string;
            /** @example active */
            category: string;
        };
        WorkspaceSettingsDto: {
            /** @description Whether anonymous callers may write notes, provided that the service allows it. */
            publicNotes: boolean;
            /** @description The statuses that the workspace has configured for its notes; null if it uses the defaults of the service. */
            noteStatuses: components["schemas"]["WorkspaceStatusDto"][] | null;
        };
        WorkspaceCountsDto: {
            projects: number;
            tours: number;
            tags: number;
            notes: number;
            users: number;
            tables: number;
        };
        WorkspaceDto: WithRequired<components["schemas"]["WorkspaceFields"], "id" | "name" | "slug" | "timezone" | "settings" | "counts"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        WorkspacePageDto: {
            items: components["schemas"]["WorkspaceFields"][];
        } & components["schemas"]["PageEndDto"];
        ChangeWorkspaceSettingsDto: {
            /** @description Whether anonymous callers may write notes, provided that the service allows it. */
            publicNotes?: boolean;
        };
        ChangeWorkspaceDto: {
            /** @example Northern plants */
            name?: string;
            /**
             * @description Short name for people and links, unique in the service.
             * @example northern-plants
             */
            slug?: string;
            /**
             * @description IANA name.
             * @example Europe/Vienna
             */
            timezone?: string;
            settings?: components["schemas"]["ChangeWorkspaceSettingsDto"];
        };
        ErrorBaseDto: {
            /** @description HTTP status code. */
            status: number;
            /**
             * @description Description of the error for people.
             * @example 1 of 5000 rows cannot be stored. Nothing was stored.
             */
            message: string;
            /** @description Milliseconds since the Unix epoch. */
            timestamp: number;
            /**
             * @description Stable machine-readable code. The header `Link` (`rel="help"`) leads to its cause and remedy.
             * @example invalid_rows
             */
            error: string;
            /**
             * @description ID of the request, as in the `X-Request-Id` header and in the log.
             * @example 0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a
             */
            requestId: string;
        };
        ErrorCountsDto: {
            /** @description All errors, including those beyond the listed ones. */
            total?: number;
            /** @description The limit that was exceeded. */
            limit?: number;
            /** @description The value of the request that exceeded the limit. */
            actual?: number;
            /** @description For rows: the number of errors per code and column, the most frequent first. */
            summary?: components["schemas"]["ErrorCountDto"][];
        };
        /** @enum {string} */
        LegacyArray: "functionalLocations" | "equipment" | "workCentres" | "priorities" | "categories";
        LegacyRecordErrorDto: {
            /** @description Array of the record. */
            array?: components["schemas"]["LegacyArray"];
            /** @description Position of the record in its array, from 0. */
            index?: number;
            /**
             * @description External ID of the record, if it has one.
             * @example 000000000010004711
             */
            key?: string;
            /** @description Key of the column, if the error is in the table and not in a record. */
            column?: string;
        } & components["schemas"]["FieldErrorDto"];
        LegacyCountsDto: {
            /** @description Records in the request: the sum of the other counts. */
            received: number;
            created: number;
            updated: number;
            /** @description Already stored with the same values. */
            unchanged: number;
            failed: number;
            /** @description Replaced by a later record with the same external ID. */
            collapsed: number;
        };
        /** @enum {string} */
        EntityKind: "location" | "asset" | "list";
        LegacyTableDto: {
            /** Format: uuid */
            id: string;
            type: components["schemas"]["EntityKind"];
            /**
             * @description Current name: administrators can rename the table.
             * @example Categories
             */
            name: string;
        };
        DuplicateDto: {
            /**
             * @description The external ID.
             * @example PM-01
             */
            key: string;
            /** @description Number of records with the external ID. */
            records: number;
            /** @description Position of the record that was stored, from 0. */
            kept: number;
        };
        FieldNotMappedDto: {
            /** @example ERDAT */
            field: string;
            /** @description Number of records with the field. */
            records: number;
        };
        FieldsNotMappedDto: {
            /** @description Ignored values in all records. */
            total: number;
            /** @description The first 20 fields. */
            first: components["schemas"]["FieldNotMappedDto"][];
        };
        UnresolvedFieldDto: {
            /** @description Position of the record in its array, from 0. */
            index: number;
            /** @example TPLMA */
            field: string;
            /** @example AT10-UTL-CW */
            value: string;
        };
        UnresolvedFieldsDto: {
            /** @description All parents and references of this request without a target. They resolve when the target is stored. */
            total: number;
            /** @description The first 20. */
            first: components["schemas"]["UnresolvedFieldDto"][];
        };
        ArrayReportDto: {
            array: components["schemas"]["LegacyArray"];
            /** @description Whether this request created the table. */
            tableCreated: boolean;
            /**
             * @description Keys of the columns that this request added.
             * @example []
             */
            columnsAdded: string[];
            /** @description Revision of the table after this request. */
            revision: number;
            /** @description Table that stores the records. */
            table: components["schemas"]["LegacyTableDto"];
            /** @description The first 20 external IDs that several records have. Only the last of these records is stored. */
            duplicates: components["schemas"]["DuplicateDto"][];
            /** @description Fields without a column, which are ignored. */
            fieldsNotMapped: components["schemas"]["FieldsNotMappedDto"];
            unresolved: components["schemas"]["UnresolvedFieldsDto"];
            /** @description Errors of the records that were not stored, with `onError=continue`: the first 1,000 of the request. */
            errors: components["schemas"]["LegacyRecordErrorDto"][];
        } & components["schemas"]["LegacyCountsDto"];
        LegacyReportDto: {
            /**
             * @description Keys of the body that name none of the five arrays, the first 100.
             * @example []
             */
            unmapped: string[];
            /** @description Sums over all arrays. */
            totals: components["schemas"]["LegacyCountsDto"];
            /** @description One report per array, in the order sent. */
            arrays: components["schemas"]["ArrayReportDto"][];
        };
        FunctionalLocationRecordDto: {
            /**
             * @description External ID.
             * @example AT20-UTL
             */
            TPLNR: string;
            /**
             * @description Description.
             * @example Utilities
             */
            PLTXT?: string;
            /**
             * @description Type.
             * @example AREA
             */
            EQART?: string;
            /**
             * @description Number.
             * @example AT20
             */
            SWERK?: string;
            /**
             * @description External ID of the parent.
             * @example AT20
             */
            TPLMA?: string;
            /**
             * @description Description of the parent; never used as a reference.
             * @example Linz works
             */
            PARENTPLTXT?: string;
        };
        EquipmentRecordDto: {
            /**
             * @description External ID and number.
             * @example 000000000010004720
             */
            EQUNR: string;
            /**
             * @description Description.
             * @example Cooling pump
             */
            EQKTX?: string;
            /**
             * @description Type.
             * @example PUMP
             */
            EQART?: string;
            /** @description External ID of the functional location. */
            TPLNR?: string;
        };
        WorkCentreRecordDto: {
            /**
             * @description External ID. If it is missing or empty, `ARBPL` is the external ID.
             * @example 00002010
             */
            PM_WKCTR?: string;
            /**
             * @description Code.
             * @example MECH-20
             */
            ARBPL?: string;
            /**
             * @description Site.
             * @example AT20
             */
            WERKS?: string;
            /**
             * @description Deletion flag: `X`, or empty.
             * @example X
             */
            LVORM?: string;
            /**
             * @description Description.
             * @example Mechanical workshop
             */
            KTEXT?: string;
        };
        PriorityRecordDto: {
            /**
             * @description External ID and code.
             * @example 1
             */
            PRIOK: string;
            /**
             * @description Description.
             * @example Very high
             */
            PRIOKX?: string;
            /** @description Start time, in milliseconds. */
            DIFF_START_MS?: number;
            /** @description End time, in milliseconds. */
            DIFF_END_MS?: number;
        };
        CategoryRecordDto: {
            /**
             * @description External ID and code group.
             * @example PM-01
             */
            codegrp: string;
            /**
             * @description Code.
             * @example 0010
             */
            code?: string;
            /**
             * @description Catalog.
             * @example C
             */
            catalog?: string;
            /**
             * @description Name of the code group.
             * @example Pumps
             */
            codegrp_txt?: string;
            /**
             * @description Name of the code.
             * @example Bearing damaged
             */
            code_txt?: string;
        };
        LegacyPayloadDto: {
            functionalLocations?: components["schemas"]["FunctionalLocationRecordDto"][];
            equipment?: components["schemas"]["EquipmentRecordDto"][];
            workCentres?: components["schemas"]["WorkCentreRecordDto"][];
            priorities?: components["schemas"]["PriorityRecordDto"][];
            categories?: components["schemas"]["CategoryRecordDto"][];
        };
        /** @enum {string} */
        ProjectStatus: "active" | "archived";
        GeoPointDto: {
            lat: number;
            lng: number;
        };
        ProjectCountsDto: {
            tours: number;
            tags: number;
            openNotes: number;
        };
        ProjectDto: WithRequired<components["schemas"]["ProjectFields"], "name" | "status" | "publicNotes" | "description" | "address" | "geo" | "coverImage" | "counts"> & WithRequired<components["schemas"]["ArchivableRecordDto"], "id" | "workspaceId" | "externalId" | "archivedAt"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        CreateProjectDto: {
            /**
             * Format: uuid
             * @description Required if the caller is a member of several workspaces.
             */
            workspaceId?: string | null;
            /**
             * @description Whether anonymous callers can write notes in the project, if the workspace also allows it.
             * @default true
             */
            publicNotes?: boolean;
        } & WithRequired<components["schemas"]["ChangeProjectDto"], "name">;
        ProjectPageDto: {
            items: components["schemas"]["ProjectFields"][];
        } & components["schemas"]["PageEndDto"];
        ChangeProjectDto: {
            externalId?: string | null;
            /** @example Boiler house retrofit */
            name?: string;
            /** @example Scan and tag the boiler house before the outage. */
            description?: string | null;
            /** @example Simmeringer Hauptstraße 1, 1110 Vienna */
            address?: string | null;
            /**
             * @description URL of an image.
             * @example https://cdn.example.com/boiler-house.jpg
             */
            coverImage?: string | null;
            /** @description Whether anonymous callers can write notes in the project, if the workspace also allows it. */
            publicNotes?: boolean;
            geo?: components["schemas"]["GeoPointDto"] | null;
        };
        /** @enum {string} */
        TourStatus: "draft" | "processing" | "published" | "archived" | "failed";
        /** @enum {string} */
        TourVisibility: "private" | "unlisted" | "public";
        FloorDto: {
            /** @example f0 */
            id: string;
            /** @example Ground floor */
            label: string;
            /** @description 0 is the ground floor. */
            level?: number | null;
        };
        SceneDto: {
            /** @example s17 */
            id: string;
            /** @example At the feed pump */
            label?: string | null;
            /** @example f0 */
            floorId?: string | null;
        };
        TourCountsDto: {
            tags: number;
            openNotes: number;
            stagings: number;
        };
        TourDto: WithRequired<components["schemas"]["TourFields"], "projectId" | "title" | "status" | "visibility" | "description" | "provider" | "providerModelId" | "shareUrl" | "thumbnailUrl" | "capturedAt" | "publishedAt" | "floors" | "scenes" | "counts"> & WithRequired<components["schemas"]["ArchivableRecordDto"], "id" | "workspaceId" | "externalId" | "archivedAt"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        CreateTourDto: {
            /**
             * Format: uuid
             * @description The project of the tour. The tour belongs to the same workspace.
             */
            projectId: string;
            /**
             * @default draft
             * @enum {string}
             */
            status?: "draft" | "processing" | "published" | "failed";
            /**
             * @default private
             * @enum {string}
             */
            visibility?: "private" | "unlisted" | "public";
        } & WithRequired<components["schemas"]["ChangeTourDto"], "title">;
        ToursBulkDto: {
            items: components["schemas"]["CreateTourDto"][];
        };
        TourPageDto: {
            items: components["schemas"]["TourFields"][];
        } & components["schemas"]["PageEndDto"];
        ChangeTourDto: {
            externalId?: string | null;
            /** @example Boiler house, ground floor */
            title?: string;
            description?: string | null;
            /** @enum {string} */
            status?: "draft" | "processing" | "published" | "failed";
            /** @enum {string} */
            visibility?: "private" | "unlisted" | "public";
            /**
             * @description Host of the model.
             * @example matterport
             */
            provider?: string | null;
            /**
             * @description ID of the model at the provider.
             * @example SxQL3iGyoDo
             */
            providerModelId?: string | null;
            /** @example https://my.matterport.com/show/?m=SxQL3iGyoDo */
            shareUrl?: string | null;
            thumbnailUrl?: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, with time and offset.
             */
            capturedAt?: string | null;
            floors?: components["schemas"]["FloorDto"][];
            scenes?: components["schemas"]["SceneDto"][];
        };
        PositionDto: {
            x: number;
            y: number;
            z: number;
        };
        RowReferenceDto: {
            /** Format: uuid */
            tableId: string;
            /**
             * @description Name of the table; null if the table or the row was deleted.
             * @example Functional Locations
             */
            table: string | null;
            /**
             * @description Primary key of the row. The reference follows a rename.
             * @example AT10-UTL-CW
             */
            key: string;
            /**
             * @description Display name of the row; null if the table or the row was deleted.
             * @example Cooling water
             */
            name: string | null;
        };
        TagDto: WithRequired<components["schemas"]["TagFields"], "workspaceId" | "externalId" | "archivedAt" | "id" | "tourId" | "projectId" | "label" | "color" | "description" | "anchorPosition" | "stemVector" | "sceneId" | "floorId" | "icon" | "keywords" | "location" | "asset"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        CreateTagDto: {
            /**
             * Format: uuid
             * @description The tour of the tag. The tag belongs to the same workspace and project.
             */
            tourId: string;
        } & WithRequired<components["schemas"]["ChangeTagDto"], "label">;
        TagsBulkDto: {
            items: components["schemas"]["CreateTagDto"][];
        };
        TagPageDto: {
            items: components["schemas"]["TagFields"][];
        } & components["schemas"]["PageEndDto"];
        ChangeTagDto: {
            externalId?: string | null;
            /** @example Feed pump 2 */
            label?: string;
            description?: string | null;
            /**
             * @description ID of the scene. Not validated against the scenes of the tour.
             * @example s17
             */
            sceneId?: string | null;
            /** @description ID of the floor. Not validated against the floors of the tour. */
            floorId?: string | null;
            /** @example #e4572e */
            color?: string | null;
            /** @example pump */
            icon?: string | null;
            /**
             * @example [
             *       "pump",
             *       "feed water"
             *     ]
             */
            keywords?: string[];
            /**
             * @description Key of the marked location, a row of a Locations table. Null removes the reference.
             * @example AT10-UTL-CW
             */
            location?: string | null;
            /** @description Name or ID of the location table. Required if several tables contain the key. */
            locationKey?: string | null;
            /**
             * @description Key of the marked asset, a row of an Assets table. Null removes the reference.
             * @example 10004711
             */
            asset?: string | null;
            /**
             * @description Name or ID of the asset table. Required if several tables contain the key.
             * @example Assets
             */
            assetKey?: string | null;
            anchorPosition?: components["schemas"]["PositionDto"] | null;
            /** @description From the anchor to the label. */
            stemVector?: components["schemas"]["PositionDto"] | null;
        };
        SaveNoteDto: {
            files?: components["schemas"]["Files"];
        } & components["schemas"]["SaveNoteFieldsDto"];
        FileDto: {
            /**
             * @description Name to display; a path in it is removed.
             * @example valve.jpg
             */
            filename: string;
            /**
             * @description Ignored: the type is detected from the content.
             * @example image/jpeg
             */
            contentType?: string;
            /**
             * @description Base64 (RFC 4648, both alphabets, line breaks allowed), or a data URI of the form `data:<type>;base64,<data>`.
             * @example data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
             */
            data: string;
        };
        /** @enum {string} */
        NoteSource: "api" | "workspace" | "public";
        /** @enum {string} */
        FileKind: "image" | "audio" | "video" | "pdf";
        StoredFileDto: {
            /** Format: uuid */
            id: string;
            /**
             * @description The name that the caller sent, without characters that are unsafe to display.
             * @example feed-pump-2.jpg
             */
            filename: string;
            /** @description Detected from the content. */
            contentType: string;
            kind: components["schemas"]["FileKind"];
            /** @description In bytes. */
            size: number;
            /**
             * @description SHA-256 of the bytes, in hexadecimal digits.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /** @description In pixels; null for other files, and for an image until it was analyzed, usually within seconds. */
            width: number | null;
            height: number | null;
            /**
             * Format: uri
             * @description Download URL that needs no credentials, valid until `urlExpiresAt`.
             */
            url: string;
            /**
             * Format: uri
             * @description URL of a small version of an image; null for other files, and until it was created.
             */
            thumbnailUrl: string | null;
            /** Format: date-time */
            urlExpiresAt: string;
            /** Format: date-time */
            createdAt: string;
        };
        NoteDto: WithRequired<components["schemas"]["NoteFields"], "number" | "title" | "status" | "projectId" | "tagId" | "tourId" | "customFields" | "messageCount" | "source" | "description" | "priority" | "assignee" | "reporter" | "scheduledDate" | "dueDate" | "closedAt" | "location" | "asset" | "files" | "lastMessageAt"> & WithRequired<components["schemas"]["ArchivableRecordDto"], "id" | "workspaceId" | "externalId" | "archivedAt"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        SaveMessageDto: {
            files?: components["schemas"]["Files"];
        } & components["schemas"]["SaveMessageFieldsDto"];
        NoteMessageDto: {
            /** Format: uuid */
            workspaceId: string;
            /** Format: uuid */
            createdBy: string | null;
        } & components["schemas"]["PublicMessageViewDto"];
        NotePageDto: {
            items: components["schemas"]["NoteFields"][];
        } & components["schemas"]["PageEndDto"];
        /** @enum {string} */
        NoteEventKind: "created" | "changed" | "files" | "message" | "archived" | "restored";
        NoteEventDto: {
            /** @description Order of the event in the workspace. */
            sequence: number;
            /** Format: uuid */
            noteId: string;
            /** @description The note's number. */
            number: number;
            /** @description `files`: files were added to the note; `message`: a message was added. */
            kind: components["schemas"]["NoteEventKind"];
            /**
             * @description Of `changed`: the changed field.
             * @example status
             */
            field: string | null;
            /**
             * @description Of `changed`: the previous value.
             * @example open
             */
            from: (string | number | {
                [key: string]: unknown;
            } | unknown[]) | null;
            /**
             * @description Of `changed`: the new value; of `files`: the IDs of the files.
             * @example in_progress
             */
            to: (string | number | {
                [key: string]: unknown;
            } | unknown[]) | null;
            /**
             * Format: uuid
             * @description ID of the user; null for anonymous callers and for changes by the service itself.
             */
            actor: string | null;
            source: components["schemas"]["NoteSource"];
            /** @description Of `message`: the message. */
            message: components["schemas"]["NoteMessageDto"] | null;
            /** Format: date-time */
            at: string;
        };
        NoteEventPageDto: {
            items: components["schemas"]["NoteEventDto"][];
            /** @description Whether more events exist now. */
            hasMore: boolean;
            /** @description The `cursor` of the next request, now or later: it returns each following event once. */
            nextCursor: string;
        };
        ChangeNoteDto: {
            files?: components["schemas"]["Files"];
        } & components["schemas"]["ChangeNoteFieldsDto"];
        NoteMessagePageDto: {
            items: components["schemas"]["NoteMessageDto"][];
        } & components["schemas"]["PageEndDto"];
        WorkspaceNoteDto: {
            files?: components["schemas"]["Files"];
        } & components["schemas"]["WorkspaceNoteFieldsDto"];
        WorkspaceMessageDto: {
            files?: components["schemas"]["Files"];
        } & components["schemas"]["WorkspaceMessageFieldsDto"];
        /** @enum {string} */
        NoteStatusCategory: "open" | "active" | "done";
        NoteStatusDto: {
            /** @description 1 to 63 lower-case letters, digits and `_`. Other spellings are normalized. */
            key: string;
            /** @description A status of category `done` closes a note. */
            category: components["schemas"]["NoteStatusCategory"];
        };
        NoteStatusesDto: {
            statuses: components["schemas"]["NoteStatusDto"][];
        };
        PublicNoteDto: {
            files?: components["schemas"]["Files"];
        } & components["schemas"]["PublicNoteFieldsDto"];
        PublicNoteViewDto: {
            /** @description Number of changes. */
            version: number;
            /** Format: uuid */
            id: string;
            /** @description For people: consecutive within the workspace. */
            number: number;
            /** @example Leak at the feed pump */
            title: string | null;
            /** @example open */
            status: string;
            /** Format: uuid */
            projectId: string | null;
            tagId: number | null;
            /**
             * Format: uuid
             * @description The tag's tour.
             */
            tourId: string | null;
            messageCount: number;
            /** @description API surface on which the note was created. */
            source: components["schemas"]["NoteSource"];
            description: string | null;
            /** @description Files of the note itself; messages have their own. */
            files: components["schemas"]["StoredFileDto"][];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PublicMessageViewDto: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description ID of the note.
             */
            threadId: string;
            source: components["schemas"]["NoteSource"];
            description: string | null;
            files: components["schemas"]["StoredFileDto"][];
            /** Format: date-time */
            createdAt: string;
        };
        /** @enum {string} */
        VirtualStagingType: "stage" | "declutter" | "enhance";
        /** @enum {string} */
        VirtualStagingStatus: "queued" | "processing" | "succeeded" | "failed" | "cancelled";
        VariationDto: {
            /**
             * @description Label that the renderer sent.
             * @example Warm oak, evening light
             */
            label: string;
        } & components["schemas"]["StoredFileDto"];
        StagingDto: WithRequired<components["schemas"]["StagingFields"], "projectId" | "tourId" | "type" | "status" | "progress" | "attempts" | "sceneId" | "sourceFile" | "roomType" | "style" | "variations" | "error" | "leaseUntil" | "startedAt" | "completedAt"> & WithRequired<components["schemas"]["ArchivableRecordDto"], "id" | "workspaceId" | "externalId" | "archivedAt"> & WithRequired<components["schemas"]["VersionedDto"], "version" | "createdBy" | "updatedBy" | "createdAt" | "updatedAt">;
        CreateStagingDto: {
            /** @description Images, at most 20 MiB each. */
            files?: components["schemas"]["FileDto"][];
        } & components["schemas"]["CreateStagingFieldsDto"];
        StagingPageDto: {
            items: components["schemas"]["StagingFields"][];
        } & components["schemas"]["PageEndDto"];
        ChangeStagingDto: {
            externalId?: string | null;
            /** @description `stage` adds furniture, `declutter` removes clutter, `enhance` improves light and color. */
            type?: components["schemas"]["VirtualStagingType"];
            /** @description ID of the scene. Not validated against the scenes of the tour. */
            sceneId?: string | null;
            /** @example living room */
            roomType?: string | null;
            /** @example scandinavian */
            style?: string | null;
        };
        StagingClaimDto: {
            /**
             * Format: uuid
             * @description Authorizes the calls about the virtual staging: send it as `X-Claim-Token` or in the body. Only the renderer gets it.
             */
            claimToken: string | null;
            staging: components["schemas"]["StagingDto"] | null;
        };
        ClaimStagingDto: {
            /**
             * Format: uuid
             * @description Only virtual stagings of this workspace. By default, those of all the caller's workspaces.
             */
            workspaceId?: string | null;
            /** @description The types that the renderer supports. By default all. */
            types?: components["schemas"]["VirtualStagingType"][];
            /**
             * @description Length of the lease in seconds. If it expires, the virtual staging is queued again.
             * @default 60
             */
            leaseSeconds?: number;
        };
        HeartbeatDto: {
            /** @description In percent. By default unchanged. */
            progress?: number;
        } & components["schemas"]["ClaimTokenDto"];
        AddVariationsDto: {
            /** @description Images, at most 20 MiB each. */
            files?: components["schemas"]["FileDto"][];
        } & components["schemas"]["AddVariationsFieldsDto"];
        ClaimTokenDto: {
            /**
             * Format: uuid
             * @description The token of the claim, unless `X-Claim-Token` contains it.
             */
            claimToken?: string;
        };
        FailStagingDto: {
            /**
             * @description The reason, for people.
             * @example The picture shows no room.
             */
            error: string;
        } & components["schemas"]["ClaimTokenDto"];
        NoteCountsDto: {
            /** @description Not archived and not closed. */
            open: number;
            /** @description Open and past their due date. */
            overdue: number;
        } & components["schemas"]["TagCountsDto"];
        TourCountsByStatusDto: {
            draft: number;
            processing: number;
            published: number;
            failed: number;
        } & components["schemas"]["TagCountsDto"];
        TagCountsDto: {
            /** @description Not archived. */
            total: number;
            archived: number;
        };
        StagingCountsDto: {
            queued: number;
            processing: number;
            succeeded: number;
            failed: number;
            cancelled: number;
        } & components["schemas"]["TagCountsDto"];
        OverviewDto: {
            /** Format: uuid */
            workspaceId: string;
            notes: components["schemas"]["NoteCountsDto"];
            tours: components["schemas"]["TourCountsByStatusDto"];
            tags: components["schemas"]["TagCountsDto"];
            stagings: components["schemas"]["StagingCountsDto"];
        };
        /** @enum {string} */
        Granularity: "day" | "week" | "month";
        NoteTotalsDto: {
            /** @description Created in the period. */
            opened: number;
            /** @description Closed in the period and not reopened. */
            closed: number;
            /** @description Mean hours from creation to closing of the notes closed in the period; null if none was closed. */
            meanHoursToClose: number | null;
            /** @description Past their due date and not closed at the end of the range, or now if it has not ended. */
            overdue: number;
        };
        NoteBucketDto: {
            /**
             * Format: date
             * @description The first day in the timezone.
             */
            day: string;
            /** Format: date-time */
            start: string;
            /**
             * Format: date-time
             * @description The first instant after the bucket.
             */
            end: string;
            /** @description Created in the period. */
            opened: number;
            /** @description Closed in the period and not reopened. */
            closed: number;
            /** @description Mean hours from creation to closing of the notes closed in the period; null if none was closed. */
            meanHoursToClose: number | null;
            /** @description Past their due date and not closed at the end of the bucket, or now if it has not ended; null if it has not begun. */
            overdue: number | null;
        };
        NoteGroupDto: {
            /** @description Created in the period. */
            opened: number;
            /** @description Closed in the period and not reopened. */
            closed: number;
            /** @description Past their due date and not closed at the end of the range, or now if it has not ended. */
            overdue: number;
            /**
             * @description The current value of the notes; null without a value.
             * @example high
             */
            value: string | null;
        };
        OtherNoteGroupsDto: {
            /** @description Created in the period. */
            opened: number;
            /** @description Closed in the period and not reopened. */
            closed: number;
            /** @description Past their due date and not closed at the end of the range, or now if it has not ended. */
            overdue: number;
            groups: number;
        };
        NoteGroupingDto: {
            /** @description Groups with a count above 0, the largest first; at most 100. */
            groups: components["schemas"]["NoteGroupDto"][];
            /** @description The sum of the other groups; null if all are listed. */
            others: components["schemas"]["OtherNoteGroupsDto"] | null;
        };
        NoteAnalyticsDto: {
            /** Format: uuid */
            workspaceId: string;
            timezone: string;
            granularity: components["schemas"]["Granularity"];
            /**
             * Format: date
             * @description The first day.
             */
            from: string;
            /**
             * Format: date
             * @description The day after the last day.
             */
            to: string;
            totals: components["schemas"]["NoteTotalsDto"];
            buckets: components["schemas"]["NoteBucketDto"][];
            byStatus: components["schemas"]["NoteGroupingDto"];
            byPriority: components["schemas"]["NoteGroupingDto"];
            byAssignee: components["schemas"]["NoteGroupingDto"];
        };
        TourTotalsDto: {
            toursCreated: number;
            /** @description Published for the first time. */
            toursPublished: number;
            tagsCreated: number;
            stagingsCreated: number;
            stagingsSucceeded: number;
            stagingsFailed: number;
        };
        TourBucketDto: {
            /**
             * Format: date
             * @description The first day in the timezone.
             */
            day: string;
            /** Format: date-time */
            start: string;
            /**
             * Format: date-time
             * @description The first instant after the bucket.
             */
            end: string;
        } & components["schemas"]["TourTotalsDto"];
        TourAnalyticsDto: {
            /** Format: uuid */
            workspaceId: string;
            timezone: string;
            granularity: components["schemas"]["Granularity"];
            /**
             * Format: date
             * @description The first day.
             */
            from: string;
            /**
             * Format: date
             * @description The day after the last day.
             */
            to: string;
            totals: components["schemas"]["TourTotalsDto"];
            buckets: components["schemas"]["TourBucketDto"][];
        };
        TableTotalsDto: {
            tables: number;
            rows: number;
            unresolvedLinks: number;
        };
        LinkFiguresDto: {
            /**
             * @description Key of a column of the type `hierarchyParent` or `reference`.
             * @example parent
             */
            column: string;
            /** @description Rows with a reference. */
            set: number;
            /** @description Rows with an unresolved reference. */
            unresolved: number;
        };
        TableFiguresDto: {
            /** Format: uuid */
            id: string;
            entity: components["schemas"]["EntityKind"];
            /** @example Functional Locations */
            name: string;
            /** @description Rows that are not deleted. */
            rows: number;
            links: components["schemas"]["LinkFiguresDto"][];
        };
        TableAnalyticsDto: {
            /** Format: uuid */
            workspaceId: string;
            totals: components["schemas"]["TableTotalsDto"];
            /** @description Sorted by entity and name. */
            tables: components["schemas"]["TableFiguresDto"][];
        };
        BatchCountsDto: {
            created: number;
            updated: number;
            deleted: number;
        };
        BatchTableDto: {
            /** Format: uuid */
            id: string;
            entity: components["schemas"]["EntityKind"];
            /** @example Assets */
            name: string;
            fromRevision: number;
            /** @description Equal to `fromRevision` if nothing changed. */
            toRevision: number;
            counts: components["schemas"]["BatchCountsDto"];
        };
        BatchDto: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            source: "bulk" | "import" | "delete" | "webhook" | "undo";
            /** @description Can it still be undone, if no row has changed since? */
            undoable: boolean;
            /**
             * Format: uuid
             * @description The batch that this one has undone.
             */
            undoes: string | null;
            /**
             * Format: uuid
             * @description The batch that has undone this one.
             */
            undoneBy: string | null;
            /**
             * Format: uuid
             * @description The user whose credential was used.
             */
            createdBy: string | null;
            tables: components["schemas"]["BatchTableDto"][];
            /** Format: date-time */
            createdAt: string;
        };
        BatchPageDto: {
            items: components["schemas"]["BatchDto"][];
        } & components["schemas"]["PageEndDto"];
        TableErrorFieldsDto: {
            /** @description Entity of the table. */
            type?: components["schemas"]["EntityKind"];
            /**
             * @description Name of the table.
             * @example Assets
             */
            table?: string;
        } & components["schemas"]["FieldErrorDto"];
        RowErrorFieldsDto: {
            /** @description Position of the row in the table's `items`, from 0. */
            index?: number;
            /** @description Primary key of the row, if it has one. */
            key?: string;
            /** @description In an import: the first line of the row, from 1. */
            line?: number;
        } & components["schemas"]["TableErrorFieldsDto"];
        CellErrorDto: {
            /**
             * @description Stable machine-readable code.
             * @enum {string}
             */
            code?: "unknown_column" | "ambiguous_column" | "required" | "type_mismatch" | "too_long" | "required_key" | "invalid_key" | "hierarchy_cycle" | "duplicate_column";
            /** @description Key of the column, or the key that was sent if it matches no column. */
            column?: string;
        } & (components["schemas"]["RowErrorFieldsDto"] & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "unknown_column" | "ambiguous_column" | "required" | "type_mismatch" | "too_long" | "required_key" | "invalid_key" | "hierarchy_cycle" | "duplicate_column";
        });
        DuplicateKeyErrorDto: {
            /**
             * @description Stable machine-readable code.
             * @enum {string}
             */
            code?: "duplicate_in_batch";
            /** @description Position of the other row. */
            otherIndex: number;
            /** @description In an import: the first line of the other row. */
            otherLine?: number;
            column?: string;
        } & (components["schemas"]["RowErrorFieldsDto"] & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "duplicate_in_batch";
        });
        WholeRowErrorDto: {
            /**
             * @description Stable machine-readable code.
             * @enum {string}
             */
            code?: "row_too_large" | "cell_count" | "outside_scope" | "changed_since";
        } & (components["schemas"]["RowErrorFieldsDto"] & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "row_too_large" | "cell_count" | "outside_scope" | "changed_since";
        });
        ColumnErrorDto: {
            /**
             * @description Stable machine-readable code.
             * @enum {string}
             */
            code?: "columns_required" | "duplicate_table" | "name_taken" | "invalid_column_key" | "invalid_option" | "invalid_primary_key" | "invalid_index" | "column_type_conflict" | "too_many_columns" | "too_many_indexes";
            /** @description Key of the column, or the key that was sent if it matches no column. */
            column?: string;
        } & (components["schemas"]["TableErrorFieldsDto"] & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "columns_required" | "duplicate_table" | "name_taken" | "invalid_column_key" | "invalid_option" | "invalid_primary_key" | "invalid_index" | "column_type_conflict" | "too_many_columns" | "too_many_indexes";
        });
        UndoReportDto: {
            /**
             * Format: uuid
             * @description The batch of this undo. It can be undone, too.
             */
            batchId: string;
            /** Format: uuid */
            undoes: string;
            /** @description With `onConflict=skip`: rows that were changed since, or whose previous values are not allowed now. */
            skipped: number;
            tables: components["schemas"]["BatchTableDto"][];
        };
        RowCountsDto: {
            received: number;
            created: number;
            updated: number;
            /** @description Equal to the stored row: nothing was written. */
            unchanged: number;
            failed: number;
            /** @description With `onDuplicate`: rows omitted because another row with their key is stored. */
            skipped?: number;
            /** @description With `mode=replace`: rows that the file lacks. */
            deleted?: number;
        };
        IgnoredDifferenceDto: {
            /**
             * @description Key of the column.
             * @example name
             */
            key: string;
            /**
             * @description The attribute that differs.
             * @enum {string}
             */
            attribute: "name" | "primaryKey" | "required" | "description" | "options";
            /**
             * @description The value sent.
             * @example NAME
             */
            sent: string | boolean | Record<string, never>;
            /**
             * @description The stored value, which is unchanged.
             * @example Name
             */
            kept: string | boolean | Record<string, never> | null;
        };
        UnresolvedReferenceDto: {
            /** @description Position among the items sent, from 0. */
            index: number;
            /** @description In an import: the line on which the row begins, from 1. */
            line?: number;
        } & components["schemas"]["UnresolvedItemReferenceDto"];
        UnresolvedReferencesDto: {
            /** @description All references of this request without a target. They resolve automatically as soon as the target exists. */
            total: number;
            /** @description The first 20. */
            first: components["schemas"]["UnresolvedReferenceDto"][];
        };
        /** @enum {string} */
        RowStatus: "created" | "updated" | "unchanged" | "failed";
        RowResultDto: {
            /** @description Position among the items sent, from 0. */
            index: number;
            /** @description Primary key of the row; null if a failed row has none. */
            key: string | null;
            status: components["schemas"]["RowStatus"];
        };
        DeletionGuardDto: {
            /** @description The number of deletions that `maxDeletions` allows. */
            limit: number;
            deletions: number;
            exceeded: boolean;
        };
        TableReportDto: {
            /** Format: uuid */
            id: string;
            name: string;
            type: components["schemas"]["EntityKind"];
            /** @description Increases with each change of the table or its rows: the `ETag`, and the position in the change feed. */
            revision: number;
            /** @description Did this request create the table? */
            tableCreated: boolean;
            /** @description Keys of the columns that this request added. */
            columnsAdded: string[];
            /** @description Differences between the columns sent and the stored ones, which a bulk request does not apply. */
            columnsIgnored: components["schemas"]["IgnoredDifferenceDto"][];
            unresolved: components["schemas"]["UnresolvedReferencesDto"];
            /** @description With `return=items`: the result per row, in the order sent. */
            items?: components["schemas"]["RowResultDto"][];
            /** @description With `mode=replace`. */
            guard?: components["schemas"]["DeletionGuardDto"];
        } & components["schemas"]["RowCountsDto"];
        UpsertReportDto: {
            /** @description The first 1,000 errors, but at least 20 per code and column. */
            errors: components["schemas"]["RowErrorDto"][];
            /**
             * Format: uuid
             * @description ID of the batch, to undo it; absent for a dry run.
             */
            batchId?: string;
            /** @description The highest revision among the tables of the request. */
            revision: number;
            /** @description Sums over all tables. */
            totals: components["schemas"]["RowCountsDto"];
            /** @description One report per table, in the order sent. */
            tables: components["schemas"]["TableReportDto"][];
            /** @description The number of errors per code and column, the most frequent first. */
            summary: components["schemas"]["ErrorCountDto"][];
        };
        /** @enum {string} */
        EntityName: "location" | "asset" | "list" | "locations" | "assets" | "lists";
        /** @enum {string} */
        ColumnType: "text" | "number" | "date" | "checkbox" | "hierarchyParent" | "reference" | "locationTag" | "space" | "tagStatus";
        ReferenceTargetDto: {
            /** @description Entity of the target table, singular or plural. */
            entity: components["schemas"]["EntityName"];
            /** @description Name or ID of the target table. It may not exist yet. */
            table: string;
        };
        ColumnOptionsDto: {
            /** @description For `reference`: the table whose rows the values identify. Default: all Locations tables. */
            target?: components["schemas"]["ReferenceTargetDto"];
            /**
             * @description For `tagStatus`: the allowed values. Default: any text.
             * @example [
             *       "open",
             *       "done"
             *     ]
             */
            choices?: string[];
            /** @description `true` builds an index for filters and sorting by the column. */
            indexed?: boolean;
        };
        ColumnDefinitionDto: {
            /**
             * @description Identifies the column in items and queries: 1 to 63 of `a-z`, `0-9` and `_`. Derived from the name if omitted. Immutable.
             * @example equnr
             */
            key?: string;
            /**
             * @description Display name.
             * @example EQUNR
             */
            name: string;
            type: components["schemas"]["ColumnType"];
            /** @description Marks the primary key, which is also the title; by default the first text column. */
            primaryKey?: boolean;
            /** @description Every row must have a value. */
            required?: boolean;
            /** @example Equipment number */
            description?: string;
            options?: components["schemas"]["ColumnOptionsDto"];
        };
        TableInputDto: {
            /** @description Required on the unified route only. On the route of an entity it must match that entity. */
            type?: components["schemas"]["EntityName"];
            /** @description Unique per workspace and entity, case-insensitive, not a UUID. Outer white space is removed. */
            name: string;
            /**
             * @description Required with the first batch; later they add columns. Existing columns are never edited.
             * @example [
             *       {
             *         "name": "EQUNR",
             *         "type": "text",
             *         "primaryKey": true
             *       },
             *       {
             *         "name": "Name",
             *         "type": "text"
             *       },
             *       {
             *         "key": "weight",
             *         "name": "Weight in kg",
             *         "type": "number"
             *       }
             *     ]
             */
            columns?: components["schemas"]["ColumnDefinitionDto"][];
            /**
             * @description Rows: column key to value. `null` clears a value, an omitted key leaves it unchanged.
             * @example [
             *       {
             *         "equnr": "000000000010004711",
             *         "name": "Feed pump",
             *         "weight": 180.5
             *       }
             *     ]
             */
            items: {
                [key: string]: unknown;
            }[];
        };
        BulkLocationsDto: {
            locations: components["schemas"]["TableInputDto"][];
        };
        BulkAssetsDto: {
            assets: components["schemas"]["TableInputDto"][];
        };
        BulkListsDto: {
            lists: components["schemas"]["TableInputDto"][];
        };
        BulkTablesDto: {
            /** @description Each with its `type`. */
            tables: components["schemas"]["TableInputDto"][];
        };
        DeletionCountsDto: {
            received: number;
            deleted: number;
            /** @description Keys that no row has. */
            missing: number;
            failed: number;
        };
        TableSummaryDto: {
            /** @description Increases with each change of the table or its rows: the `ETag`, and the position in the change feed. */
            revision: number;
        } & components["schemas"]["ImportTableDto"];
        DeletionResultDto: {
            index: number;
            /** @example EX-2002 */
            key: string | null;
            /** @enum {string} */
            status: "deleted" | "missing" | "failed";
        };
        DeletionReportDto: {
            /** @description The first 1,000 errors, but at least 20 per code and column. */
            errors: components["schemas"]["RowErrorDto"][];
            /**
             * Format: uuid
             * @description ID of the batch, to undo it; absent for a dry run.
             */
            batchId?: string;
            /** @description The revision of the table. */
            revision: number;
            totals: components["schemas"]["DeletionCountsDto"];
            table: components["schemas"]["TableSummaryDto"];
            /** @description With `return=items`: the result per key, in the order sent. */
            items?: components["schemas"]["DeletionResultDto"][];
            /** @description The number of errors per code and column, the most frequent first. */
            summary: components["schemas"]["ErrorCountDto"][];
        };
        DeleteRowsDto: {
            /**
             * @description Primary keys of rows, 50,000 at most.
             * @example [
             *       "EX-2009"
             *     ]
             */
            keys: string[];
        };
        ImportReportDto: {
            /**
             * Format: uuid
             * @description ID of the import's record.
             */
            importId: string;
        } & components["schemas"]["UpsertReportDto"];
        ImportTableDto: {
            /** Format: uuid */
            id: string;
            name: string;
            type: components["schemas"]["EntityKind"];
        };
        /** @enum {string} */
        ImportStatus: "receiving" | "reading" | "writing" | "succeeded" | "failed" | "cancelled";
        ImportFailureDto: {
            /**
             * @description Stable machine code, the same as in the response.
             * @example invalid_rows
             */
            code: string;
            /** @example 3 of 5000 rows cannot be stored. */
            message: string;
            /** @description The details of the response. Absent in lists. */
            details?: components["schemas"]["ErrorDetailsDto"];
        };
        ImportDto: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null if there are several.
             */
            tableId: string | null;
            /** @description The table when the import began. */
            table: components["schemas"]["ImportTableDto"] | null;
            /** @description The parameters of the request. */
            options: {
                [key: string]: unknown;
            };
            /**
             * @description From `Content-Disposition`.
             * @example equipment.csv
             */
            fileName: string | null;
            /** @description Hexadecimal. */
            sha256: string | null;
            /** @description The data of the response, else null. Absent in lists. */
            report?: components["schemas"]["ImportReportDto"] | null;
            /** @description The first three are in progress, the last three are final. */
            status: components["schemas"]["ImportStatus"];
            dryRun: boolean;
            /** @description Bytes received, compressed if the upload is. */
            bytes: number;
            rowsRead: number;
            /** @description Rows created or updated; 0 before the import has succeeded. */
            rowsWritten: number;
            rowsFailed: number;
            /** @description The reason of a failure, else null. */
            error: components["schemas"]["ImportFailureDto"] | null;
            /**
             * Format: uuid
             * @description The user whose credential was used.
             */
            createdBy: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Updated about once per second while the import is in progress.
             */
            updatedAt: string;
            /** Format: date-time */
            finishedAt: string | null;
        };
        ImportPageDto: {
            items: components["schemas"]["ImportDto"][];
        } & components["schemas"]["PageEndDto"];
        RowTitleDto: {
            /** Format: uuid */
            tableId: string;
            table: string;
            /**
             * @description The value of the column `name` or, if it is empty, the key.
             * @example Utilities
             */
            title: string;
        };
        ItemsPageDto: {
            table: components["schemas"]["TableSummaryDto"];
            /** @description Rows: column key to value. */
            items: {
                [key: string]: string | number | boolean | null;
            }[];
            /** @description Does another page follow? */
            hasMore: boolean;
            /** @description The `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
            /** @description With `count`: the number of rows on all pages. */
            total?: number;
            /**
             * @description Only if reading the rows took more than 100 ms: the keys of the columns of an index that would serve the query. For one column
             *     set its option `indexed`, for several create an index over them.
             * @example [
             *       "location",
             *       "weight"
             *     ]
             */
            suggestedIndex?: string[];
            /** @description With `expand`: by column and key, the rows that the references identify, if they exist. */
            expanded?: {
                [key: string]: {
                    [key: string]: components["schemas"]["RowTitleDto"];
                };
            };
        };
        ItemsBodyDto: {
            /**
             * @description Maximum number of rows on the page.
             * @default 100
             */
            limit?: number;
            /** @description As the query parameter `cursor`. */
            cursor?: string;
            /** @description As the query parameter `sort`. */
            sort?: string;
            /** @description As the query parameter `q`. */
            q?: string;
            /** @description As the query parameter `under`. */
            under?: string;
            /** @description As the query parameter `depth`. */
            depth?: number;
            /** @description As the query parameter `expand`. */
            expand?: string;
            /** @description As the query parameter `fields`. */
            fields?: string;
            /**
             * @description Adds `total`: the exact number of rows, or the estimate of the query planner.
             * @enum {string}
             */
            count?: "exact" | "estimated";
            /**
             * @description As in the URL: `{ "weight": { "gte": 100 }, "name": "Feed pump" }`.
             * @example {
             *       "name": {
             *         "contains": "pump"
             *       },
             *       "weight": {
             *         "gte": 100
             *       }
             *     }
             */
            filter?: {
                [key: string]: unknown;
            };
        };
        UnresolvedItemDto: {
            /** @description The row's primary key. */
            key: string;
            /** @example location */
            column: string;
            /** @description The key that no row of the column's target table has. */
            value: string;
        };
        UnresolvedPageDto: {
            items: components["schemas"]["UnresolvedItemDto"][];
            table: components["schemas"]["TableSummaryDto"];
        } & components["schemas"]["PageEndDto"];
        ChangeDto: {
            /** @description The table's revision that last changed the row. */
            revision: number;
            key: string;
            deleted: boolean;
            /**
             * @description The current row; null if it was deleted.
             * @example {
             *       "equnr": "000000000010004711",
             *       "name": "Feed pump",
             *       "weight": 180.5
             *     }
             */
            item: {
                [key: string]: string | number | boolean | null;
            } | null;
        };
        ChangesPageDto: {
            items: components["schemas"]["ChangeDto"][];
            /**
             * @description Columns that were added after `since`. They are empty in all rows that are not listed, also if a column with the key existed before: remove
             *     its values before you apply the changes.
             * @example []
             */
            addedColumns: string[];
            /** @description On the last page: the value of `since` for the next synchronization. Null on the pages before it. */
            revision: number | null;
            table: components["schemas"]["TableSummaryDto"];
        } & components["schemas"]["PageEndDto"];
        ItemDto: {
            item: components["schemas"]["RowValues"];
            /** @description The table's revision that last changed the row: its `ETag`. */
            revision: number;
            table: components["schemas"]["TableSummaryDto"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PathStepDto: {
            /** @example AT10 */
            key: string;
            /**
             * @description The value of the column `name`, else the key.
             * @example Vienna works
             */
            title: string;
        };
        ItemPathDto: {
            /** @description From the top down to the row itself: at most 1,000 rows, those nearest to it. */
            path: components["schemas"]["PathStepDto"][];
            /**
             * @description The parent of the topmost row if that parent does not exist; null if the row is a root.
             * @example null
             */
            unresolvedParent: string | null;
            /** @description Are there more rows above than the path contains? */
            truncated: boolean;
            table: components["schemas"]["TableSummaryDto"];
        };
        UnresolvedItemReferenceDto: {
            column: string;
            value: string;
        };
        WrittenItemDto: {
            /** @description References without a target. They resolve automatically as soon as the target exists. */
            unresolved: components["schemas"]["UnresolvedItemReferenceDto"][];
        } & components["schemas"]["ItemDto"];
        DeletedItemDto: {
            key: string;
            table: components["schemas"]["TableSummaryDto"];
        };
        RenameCountsDto: {
            /** @description Rows of the table that have the row as their parent. */
            children: number;
            /** @description References to the row, in this table and in others. */
            references: number;
            /** @description References that remain, because another table has a row with the former key, too. Only columns without the option `target`. */
            ambiguous: number;
        };
        RenamedDto: {
            table: components["schemas"]["TableSummaryDto"];
            /**
             * @description The new key of the row.
             * @example AT10-UTILITIES
             */
            key: string;
            /** @example AT10-UTL */
            previousKey: string;
            /** @description The number of changed references. */
            changed: components["schemas"]["RenameCountsDto"];
        };
        RenameDto: {
            /** @description The new key of the row: not empty, at most 255 characters. Outer white space is removed. */
            key: string;
        };
        ListedTableDto: {
            columnCount: number;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change of the table or of a row.
             */
            updatedAt: string;
        } & components["schemas"]["TableSummaryDto"];
        TablesPageDto: {
            items: components["schemas"]["ListedTableDto"][];
        } & components["schemas"]["PageEndDto"];
        /** @enum {string} */
        IndexState: "pending" | "building" | "ready" | "failed";
        ColumnIndexDto: {
            /** @description The index is built in the background. Only a `ready` index serves filters and sorting. */
            state: components["schemas"]["IndexState"];
            /**
             * @description The reason of a failure. Request the index again to retry.
             * @example null
             */
            message: string | null;
        };
        ColumnDto: {
            /** @description Identifies the column in rows and queries. Immutable. */
            key: string;
            name: string;
            type: components["schemas"]["ColumnType"];
            primaryKey: boolean;
            required: boolean;
            description: string | null;
            options: components["schemas"]["ColumnOptionsDto"];
            /**
             * @description The index for filters and sorting by the column. Null if there is none: queries then read the whole table. The primary key
             *     and reference columns always have one.
             */
            index: components["schemas"]["ColumnIndexDto"] | null;
        };
        CompositeIndexDto: {
            /**
             * @description The keys of its columns: those of `eq` filters first, then the column to sort by.
             * @example [
             *       "location",
             *       "weight"
             *     ]
             */
            columns: string[];
        } & components["schemas"]["ColumnIndexDto"];
        TableDto: {
            columns: components["schemas"]["ColumnDto"][];
            /** @description The indexes over several columns. */
            indexes: components["schemas"]["CompositeIndexDto"][];
        } & components["schemas"]["ListedTableDto"];
        TableErrorDto: {
            /**
             * @description Stable machine-readable code.
             * @enum {string}
             */
            code?: "columns_required" | "duplicate_table" | "name_taken" | "invalid_column_key" | "invalid_option" | "invalid_primary_key" | "invalid_index" | "column_type_conflict" | "too_many_columns" | "too_many_indexes" | "unknown_column" | "ambiguous_column" | "required" | "type_mismatch" | "too_long";
            /** @description Key of the column, or the key that was sent if it matches no column. */
            column?: string;
        } & components["schemas"]["TableErrorFieldsDto"];
        EditOptionsDto: {
            /** @description For `reference`: the table whose rows the values identify; null: all Locations tables. */
            target?: components["schemas"]["ReferenceTargetDto"] | null;
            /** @description For `tagStatus`: the allowed values, including those of all rows; null: any text. */
            choices?: string[] | null;
            /** @description `true` builds an index. A table has at most 10; texts in the column then have at most 1,000 characters. */
            indexed?: boolean | null;
        };
        EditColumnDto: {
            /** @description Display name. */
            name?: string;
            /** @description Required for a new column. The type of an existing column cannot be changed. */
            type?: components["schemas"]["ColumnType"];
            /** @description In any letter case. Default: derived from the name, as in bulk requests. */
            key?: string;
            /** @description Cannot be changed. */
            primaryKey?: boolean;
            /** @description `true` requires a value in every row, including existing rows. */
            required?: boolean;
            /**
             * @description Null removes the description.
             * @example Common name
             */
            description?: string | null;
            options?: components["schemas"]["EditOptionsDto"];
        };
        EditTableDto: {
            /**
             * @description Unique in the workspace and entity in any letter case, and not a UUID. References with the former name as target are updated.
             * @example Equipment
             */
            name?: string;
            /** @description Columns to edit or add. */
            columns?: components["schemas"]["EditColumnDto"][];
        };
        PageEndDto: {
            /** @description The `cursor` of the next page; null on the last. */
            nextCursor: string | null;
            /** @description True if there is another page. */
            hasMore: boolean;
        };
        VersionedDto: {
            /** @description Number of changes. */
            version?: number;
            /** Format: uuid */
            createdBy?: string | null;
            /** Format: uuid */
            updatedBy?: string | null;
            /** Format: date-time */
            createdAt?: string;
            /** Format: date-time */
            updatedAt?: string;
        };
        ArchivableRecordDto: {
            /** Format: uuid */
            id?: string;
            /** Format: uuid */
            workspaceId?: string;
            /** @description ID of the record in the caller's own system. */
            externalId?: string | null;
            /**
             * Format: date-time
             * @description When the record was archived; null while it is in use.
             */
            archivedAt?: string | null;
        } & components["schemas"]["VersionedDto"];
        ImportEventDto: {
            /** @description The import as it is when the event is read or delivered. */
            import: components["schemas"]["ImportDto"];
        };
        MemberEventDto: {
            /** Format: uuid */
            userId: string;
            /** Format: uuid */
            workspaceId: string;
        };
        NoteEventDataDto: {
            /** @description The note as it is when the event is read or delivered. */
            note: components["schemas"]["NoteDto"];
        };
        NoteMessageCreatedDto: {
            /** Format: uuid */
            noteId: string;
            message: components["schemas"]["NoteMessageDto"];
        };
        NoteChangeDto: {
            field: string;
            from: {
                [key: string]: unknown;
            } | null;
            to: {
                [key: string]: unknown;
            } | null;
        };
        NoteUpdatedDto: {
            changes: components["schemas"]["NoteChangeDto"][];
        } & components["schemas"]["NoteEventDataDto"];
        ProjectEventDto: {
            project: components["schemas"]["ProjectDto"];
        };
        EventTableDto: {
            revision: number;
        } & components["schemas"]["EventTableIdentityDto"];
        TableEventDto: {
            table: components["schemas"]["EventTableDto"];
        };
        EventTableIdentityDto: {
            /** Format: uuid */
            id: string;
            entity: components["schemas"]["EntityKind"];
            name: string;
        };
        ChangedRowCountsDto: {
            created: number;
            updated: number;
            deleted: number;
        };
        RenamedKeyDto: {
            from: string;
            to: string;
        };
        TableRowsChangedDto: {
            fromRevision: number;
            toRevision: number;
            /**
             * Format: uuid
             * @description Of the bulk request.
             */
            batchId?: string;
            /**
             * Format: uuid
             * @description Of the import.
             */
            importId?: string;
            table: components["schemas"]["EventTableIdentityDto"];
            counts: components["schemas"]["ChangedRowCountsDto"];
            /** @description If the call changed the key of a row. */
            renamed?: components["schemas"]["RenamedKeyDto"];
        };
        TagEventDto: {
            tag: components["schemas"]["TagDto"];
        };
        TourEventDto: {
            tour: components["schemas"]["TourDto"];
        };
        VirtualStagingEventDto: {
            virtualStaging: components["schemas"]["StagingDto"];
        };
        SaveNoteFieldsDto: {
            /** @description ID of the note in the caller's system, unique per workspace. Creating a note with an existing ID updates that note. */
            externalId?: string | null;
        } & components["schemas"]["PublicNoteFieldsDto"];
        SaveNoteFormDto: {
            files?: components["schemas"]["FormFiles"];
        } & components["schemas"]["SaveNoteFieldsDto"];
        SaveMessageFieldsDto: {
            /**
             * Format: uuid
             * @description ID of the note.
             */
            threadId: string;
        } & components["schemas"]["WorkspaceMessageFieldsDto"];
        SaveMessageFormDto: {
            files?: components["schemas"]["FormFiles"];
        } & components["schemas"]["SaveMessageFieldsDto"];
        ChangeNoteFieldsDto: {
            tagId?: number | null;
            /** Format: uuid */
            projectId?: string | null;
        } & components["schemas"]["WorkspaceNoteFieldsDto"];
        ChangeNoteFormDto: {
            files?: components["schemas"]["FormFiles"];
        } & components["schemas"]["ChangeNoteFieldsDto"];
        WorkspaceNoteFieldsDto: {
            title?: string | null;
            /** @example Oil on the floor below the coupling. */
            description?: string | null;
            /** @description A status of the workspace; case, spaces and hyphens are ignored. A new note is `open` by default. */
            status?: string | null;
            /** @example high */
            priority?: string | null;
            /** @example maria.huber@example.com */
            assignee?: string | null;
            /** @example j.novak@example.com */
            reporter?: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, with time and offset.
             */
            scheduledDate?: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, with time and offset.
             */
            dueDate?: string | null;
            customFields?: components["schemas"]["CustomFields"];
            /** @description ID of the note in the caller's system, unique per workspace. Creating a note with an existing ID updates that note. */
            externalId?: string | null;
            /** @description Primary-key value of a location. */
            location?: string | null;
            /** @description The location's table, by ID or name. Required if several tables contain the key. */
            locationKey?: string | null;
            /** @description The asset's table, by ID or name. */
            assetKey?: string | null;
            /**
             * @description Primary-key value of an asset.
             * @example 000000000010004711
             */
            asset?: string | null;
            /**
             * Format: uuid
             * @description Accepted for compatibility and ignored.
             */
            tourId?: string | null;
        };
        WorkspaceNoteFormDto: {
            files?: components["schemas"]["FormFiles"];
        } & components["schemas"]["WorkspaceNoteFieldsDto"];
        WorkspaceMessageFieldsDto: {
            /** @example Tightened the coupling. */
            description?: string | null;
        };
        WorkspaceMessageFormDto: {
            files?: components["schemas"]["FormFiles"];
        } & components["schemas"]["WorkspaceMessageFieldsDto"];
        PublicNoteFieldsDto: {
            title?: string | null;
            description?: string | null;
            /** @description A status of the workspace; case, spaces and hyphens are ignored. A new note is `open` by default. */
            status?: string | null;
            priority?: string | null;
            assignee?: string | null;
            reporter?: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, with time and offset.
             */
            scheduledDate?: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, with time and offset.
             */
            dueDate?: string | null;
            customFields?: components["schemas"]["CustomFields"];
            /**
             * Format: uuid
             * @description Without `id`, a note is created; with it, that note is updated.
             */
            id?: string | null;
            tagId?: number | null;
            /** Format: uuid */
            projectId?: string | null;
            /**
             * Format: uuid
             * @description Used only without credentials, where `tagId` needs its project or its tour.
             */
            tourId?: string | null;
        };
        PublicNoteFormDto: {
            files?: components["schemas"]["FormFiles"];
        } & components["schemas"]["PublicNoteFieldsDto"];
        CreateStagingFieldsDto: {
            /**
             * Format: uuid
             * @description The tour of the image. The virtual staging belongs to its workspace and project.
             */
            tourId: string;
            /**
             * Format: uuid
             * @description ID of an image attachment of the workspace, instead of `files`.
             */
            sourceFileId?: string | null;
        } & WithRequired<components["schemas"]["ChangeStagingDto"], "type">;
        CreateStagingFormDto: {
            /** @description Images, at most 20 MiB each. */
            files?: string[];
        } & components["schemas"]["CreateStagingFieldsDto"];
        AddVariationsFieldsDto: {
            /** @description Label of the images. */
            label: string;
        } & components["schemas"]["ClaimTokenDto"];
        AddVariationsFormDto: {
            /** @description Images, at most 20 MiB each. */
            files?: string[];
        } & components["schemas"]["AddVariationsFieldsDto"];
        Health: {
            /** @example ok */
            status?: string;
        };
        EventListResponse: {
            data: components["schemas"]["EventListDto"];
        } & components["schemas"]["Envelope"];
        SubscriptionResponse: {
            data: components["schemas"]["SubscriptionDto"];
        } & components["schemas"]["Envelope"];
        SubscriptionPageResponse: {
            data: components["schemas"]["SubscriptionPageDto"];
        } & components["schemas"]["Envelope"];
        EmptyResponse: {
            data: Record<string, never>;
        } & components["schemas"]["Envelope"];
        DeliveryResponse: {
            data: components["schemas"]["DeliveryDto"];
        } & components["schemas"]["Envelope"];
        DeliveryPageResponse: {
            data: components["schemas"]["DeliveryPageDto"];
        } & components["schemas"]["Envelope"];
        TokenResponse: {
            data: components["schemas"]["TokenResponseDto"];
        } & components["schemas"]["Envelope"];
        TokenOrFormResponse: components["schemas"]["TokenResponse"] | components["schemas"]["TokenResponseDto"];
        RevocationOrFormResponse: components["schemas"]["EmptyResponse"] | Record<string, never>;
        SessionListResponse: {
            data: components["schemas"]["SessionListDto"];
        } & components["schemas"]["Envelope"];
        InvitationListResponse: {
            data: components["schemas"]["InvitationListDto"];
        } & components["schemas"]["Envelope"];
        UserResponse: {
            data: components["schemas"]["UserDto"];
        } & components["schemas"]["Envelope"];
        UserPageResponse: {
            data: components["schemas"]["UserPageDto"];
        } & components["schemas"]["Envelope"];
        BulkCreatedResponse: {
            data: components["schemas"]["BulkCreatedDto"];
        } & components["schemas"]["Envelope"];
        WorkspacePageResponse: {
            data: components["schemas"]["WorkspacePageDto"];
        } & components["schemas"]["Envelope"];
        WorkspaceResponse: {
            data: components["schemas"]["WorkspaceDto"];
        } & components["schemas"]["Envelope"];
        LegacyReportResponse: {
            data: components["schemas"]["LegacyReportDto"];
        } & components["schemas"]["Envelope"];
        LegacyRecordErrorResponse: {
            details?: {
                errors?: components["schemas"]["LegacyRecordErrorDto"][];
            } & components["schemas"]["ErrorCountsDto"];
        } & components["schemas"]["ErrorBaseDto"];
        ProjectResponse: {
            data: components["schemas"]["ProjectDto"];
        } & components["schemas"]["Envelope"];
        ProjectPageResponse: {
            data: components["schemas"]["ProjectPageDto"];
        } & components["schemas"]["Envelope"];
        TourResponse: {
            data: components["schemas"]["TourDto"];
        } & components["schemas"]["Envelope"];
        TourPageResponse: {
            data: components["schemas"]["TourPageDto"];
        } & components["schemas"]["Envelope"];
        TagResponse: {
            data: components["schemas"]["TagDto"];
        } & components["schemas"]["Envelope"];
        TagPageResponse: {
            data: components["schemas"]["TagPageDto"];
        } & components["schemas"]["Envelope"];
        NoteResponse: {
            data: components["schemas"]["NoteDto"];
        } & components["schemas"]["Envelope"];
        NotePageResponse: {
            data: components["schemas"]["NotePageDto"];
        } & components["schemas"]["Envelope"];
        NoteMessageResponse: {
            data: components["schemas"]["NoteMessageDto"];
        } & components["schemas"]["Envelope"];
        NoteEventPageResponse: {
            data: components["schemas"]["NoteEventPageDto"];
        } & components["schemas"]["Envelope"];
        NoteMessagePageResponse: {
            data: components["schemas"]["NoteMessagePageDto"];
        } & components["schemas"]["Envelope"];
        NoteStatusesResponse: {
            data: components["schemas"]["NoteStatusesDto"];
        } & components["schemas"]["Envelope"];
        PublicNoteViewResponse: {
            data: components["schemas"]["PublicNoteViewDto"];
        } & components["schemas"]["Envelope"];
        PublicMessageViewResponse: {
            data: components["schemas"]["PublicMessageViewDto"];
        } & components["schemas"]["Envelope"];
        StagingResponse: {
            data: components["schemas"]["StagingDto"];
        } & components["schemas"]["Envelope"];
        StagingPageResponse: {
            data: components["schemas"]["StagingPageDto"];
        } & components["schemas"]["Envelope"];
        StagingClaimResponse: {
            data: components["schemas"]["StagingClaimDto"];
        } & components["schemas"]["Envelope"];
        OverviewResponse: {
            data: components["schemas"]["OverviewDto"];
        } & components["schemas"]["Envelope"];
        NoteAnalyticsResponse: {
            data: components["schemas"]["NoteAnalyticsDto"];
        } & components["schemas"]["Envelope"];
        TourAnalyticsResponse: {
            data: components["schemas"]["TourAnalyticsDto"];
        } & components["schemas"]["Envelope"];
        TableAnalyticsResponse: {
            data: components["schemas"]["TableAnalyticsDto"];
        } & components["schemas"]["Envelope"];
        BatchPageResponse: {
            data: components["schemas"]["BatchPageDto"];
        } & components["schemas"]["Envelope"];
        BatchResponse: {
            data: components["schemas"]["BatchDto"];
        } & components["schemas"]["Envelope"];
        UndoReportResponse: {
            data: components["schemas"]["UndoReportDto"];
        } & components["schemas"]["Envelope"];
        RowErrorDto: components["schemas"]["CellErrorDto"] | components["schemas"]["DuplicateKeyErrorDto"] | components["schemas"]["WholeRowErrorDto"] | components["schemas"]["ColumnErrorDto"];
        RowErrorResponse: {
            details?: {
                errors?: components["schemas"]["RowErrorDto"][];
            } & components["schemas"]["ErrorCountsDto"];
        } & components["schemas"]["ErrorBaseDto"];
        UpsertReportResponse: {
            data: components["schemas"]["UpsertReportDto"];
        } & components["schemas"]["Envelope"];
        DeletionReportResponse: {
            data: components["schemas"]["DeletionReportDto"];
        } & components["schemas"]["Envelope"];
        ImportReportResponse: {
            data: components["schemas"]["ImportReportDto"];
        } & components["schemas"]["Envelope"];
        ImportPageResponse: {
            data: components["schemas"]["ImportPageDto"];
        } & components["schemas"]["Envelope"];
        ImportResponse: {
            data: components["schemas"]["ImportDto"];
        } & components["schemas"]["Envelope"];
        ItemsPageResponse: {
            data: components["schemas"]["ItemsPageDto"];
        } & components["schemas"]["Envelope"];
        UnresolvedPageResponse: {
            data: components["schemas"]["UnresolvedPageDto"];
        } & components["schemas"]["Envelope"];
        ChangesPageResponse: {
            data: components["schemas"]["ChangesPageDto"];
        } & components["schemas"]["Envelope"];
        ItemResponse: {
            data: components["schemas"]["ItemDto"];
        } & components["schemas"]["Envelope"];
        WrittenItemResponse: {
            data: components["schemas"]["WrittenItemDto"];
        } & components["schemas"]["Envelope"];
        DeletedItemResponse: {
            data: components["schemas"]["DeletedItemDto"];
        } & components["schemas"]["Envelope"];
        ItemPathResponse: {
            data: components["schemas"]["ItemPathDto"];
        } & components["schemas"]["Envelope"];
        RenamedResponse: {
            data: components["schemas"]["RenamedDto"];
        } & components["schemas"]["Envelope"];
        TablesPageResponse: {
            data: components["schemas"]["TablesPageDto"];
        } & components["schemas"]["Envelope"];
        TableResponse: {
            data: components["schemas"]["TableDto"];
        } & components["schemas"]["Envelope"];
        TableErrorResponse: {
            details?: {
                errors?: components["schemas"]["TableErrorDto"][];
            } & components["schemas"]["ErrorCountsDto"];
        } & components["schemas"]["ErrorBaseDto"];
        /** @description Images, audio, video or PDF, at most 20 MiB each. */
        Files: components["schemas"]["FileDto"][];
        /**
         * @description The row: column key to value.
         * @example {
         *       "equnr": "000000000010004711",
         *       "name": "Feed pump",
         *       "weight": 180.5
         *     }
         */
        RowValues: {
            [key: string]: string | number | boolean | null;
        };
        /**
         * @description At most 100 text fields, which replace all existing ones. In a form: JSON, or `customFields[key]`.
         * @example {
         *       "shift": "night"
         *     }
         */
        CustomFields: {
            [key: string]: string;
        } | null;
        /** @description Images, audio, video or PDF, at most 20 MiB each. */
        FormFiles: string[];
        UserFields: {
            /** Format: uuid */
            id?: string;
            /** @description ID of the record in the caller's own system. */
            externalId?: string | null;
            /**
             * Format: date-time
             * @description When the record was archived; null while it is in use.
             */
            archivedAt?: string | null;
            email?: string;
            /** @description The name in the caller's workspace; if there are several, that of the oldest membership with a name. The same applies to `externalId`. */
            displayName?: string | null;
            /** @description `suspended` if all memberships that have not ended are suspended. */
            status?: components["schemas"]["UserStatus"];
            /** @description The memberships in the caller's workspaces, including ended ones. */
            memberships?: components["schemas"]["MembershipDto"][];
        } & components["schemas"]["VersionedDto"];
        WorkspaceFields: {
            /** Format: uuid */
            id?: string;
            name?: string;
            /** @description Short name for people and links, unique in the service. */
            slug?: string;
            /** @description IANA name. */
            timezone?: string;
            settings?: components["schemas"]["WorkspaceSettingsDto"];
            /** @description The numbers of its records that are not archived. */
            counts?: components["schemas"]["WorkspaceCountsDto"];
        } & components["schemas"]["VersionedDto"];
        ProjectFields: {
            name?: string;
            /** @description `archived` while `archivedAt` is set. */
            status?: components["schemas"]["ProjectStatus"];
            /** @description Whether anonymous callers can write notes in the project, if the workspace also allows it. */
            publicNotes?: boolean;
            description?: string | null;
            address?: string | null;
            geo?: components["schemas"]["GeoPointDto"] | null;
            coverImage?: string | null;
            /** @description Records of the project that are not archived. */
            counts?: components["schemas"]["ProjectCountsDto"];
        } & components["schemas"]["ArchivableRecordDto"];
        TourFields: {
            /** Format: uuid */
            projectId?: string;
            title?: string;
            /** @description `archived` while `archivedAt` is set. */
            status?: components["schemas"]["TourStatus"];
            visibility?: components["schemas"]["TourVisibility"];
            description?: string | null;
            provider?: string | null;
            providerModelId?: string | null;
            shareUrl?: string | null;
            thumbnailUrl?: string | null;
            /** Format: date-time */
            capturedAt?: string | null;
            /**
             * Format: date-time
             * @description Time of the first publication.
             */
            publishedAt?: string | null;
            floors?: components["schemas"]["FloorDto"][];
            scenes?: components["schemas"]["SceneDto"][];
            /** @description Records of the tour that are not archived. */
            counts?: components["schemas"]["TourCountsDto"];
        } & components["schemas"]["ArchivableRecordDto"];
        TagFields: {
            /** Format: uuid */
            workspaceId?: string;
            /** @description ID of the record in the caller's own system. */
            externalId?: string | null;
            /**
             * Format: date-time
             * @description When the record was archived; null while it is in use.
             */
            archivedAt?: string | null;
            /** @description Unique in the whole service. */
            id?: number;
            /** Format: uuid */
            tourId?: string;
            /** Format: uuid */
            projectId?: string;
            label?: string;
            color?: string | null;
            description?: string | null;
            anchorPosition?: components["schemas"]["PositionDto"] | null;
            stemVector?: components["schemas"]["PositionDto"] | null;
            sceneId?: string | null;
            floorId?: string | null;
            icon?: string | null;
            keywords?: string[];
            location?: components["schemas"]["RowReferenceDto"] | null;
            asset?: components["schemas"]["RowReferenceDto"] | null;
        } & components["schemas"]["VersionedDto"];
        NoteFields: {
            /** @description For people: consecutive within the workspace. */
            number?: number;
            title?: string | null;
            status?: string;
            /** Format: uuid */
            projectId?: string | null;
            tagId?: number | null;
            /**
             * Format: uuid
             * @description The tag's tour.
             */
            tourId?: string | null;
            customFields?: {
                [key: string]: string;
            };
            messageCount?: number;
            /** @description API surface on which the note was created. */
            source?: components["schemas"]["NoteSource"];
            description?: string | null;
            priority?: string | null;
            assignee?: string | null;
            reporter?: string | null;
            /** Format: date-time */
            scheduledDate?: string | null;
            /** Format: date-time */
            dueDate?: string | null;
            /**
             * Format: date-time
             * @description When the note entered a status of category `done`.
             */
            closedAt?: string | null;
            location?: components["schemas"]["RowReferenceDto"] | null;
            asset?: components["schemas"]["RowReferenceDto"] | null;
            /** @description Files of the note itself; messages have their own. */
            files?: components["schemas"]["StoredFileDto"][];
            /** Format: date-time */
            lastMessageAt?: string | null;
        } & components["schemas"]["ArchivableRecordDto"];
        StagingFields: {
            /** Format: uuid */
            projectId?: string;
            /** Format: uuid */
            tourId?: string;
            type?: components["schemas"]["VirtualStagingType"];
            status?: components["schemas"]["VirtualStagingStatus"];
            /** @description In percent, as reported by the renderer. */
            progress?: number;
            /** @description Number of claims. */
            attempts?: number;
            sceneId?: string | null;
            /** @description The image to render. */
            sourceFile?: components["schemas"]["StoredFileDto"];
            roomType?: string | null;
            style?: string | null;
            /** @description The images of the last claim. */
            variations?: components["schemas"]["VariationDto"][];
            /** @description Reason of the failure. */
            error?: string | null;
            /**
             * Format: date-time
             * @description When the lease of the renderer expires; null without a renderer.
             */
            leaseUntil?: string | null;
            /**
             * Format: date-time
             * @description Time of the last claim.
             */
            startedAt?: string | null;
            /**
             * Format: date-time
             * @description When the status became `succeeded`, `failed` or `cancelled`.
             */
            completedAt?: string | null;
        } & components["schemas"]["ArchivableRecordDto"];
        RateLimitedError: {
            /** @enum {unknown} */
            error?: "too_many_requests";
        } & components["schemas"]["ErrorDto"];
        RateLimitedOAuth2Error: components["schemas"]["RateLimitedError"] | components["schemas"]["OAuth2ErrorDto"];
        NotFoundError: {
            /** @enum {unknown} */
            error?: "not_found";
        } & components["schemas"]["ErrorDto"];
        UnauthorizedError: {
            /** @enum {unknown} */
            error?: "unauthenticated" | "invalid_token" | "invalid_api_key";
        } & components["schemas"]["ErrorDto"];
        ForbiddenError: {
            /** @enum {unknown} */
            error?: "insufficient_scope";
        } & components["schemas"]["ErrorDto"];
        BadRequestError: {
            /** @enum {unknown} */
            error?: "invalid_request" | "database_limit_exceeded";
        } & components["schemas"]["ErrorDto"];
        UnavailableError: {
            /** @enum {unknown} */
            error?: "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        UnavailableOAuth2Error: components["schemas"]["UnavailableError"] | components["schemas"]["OAuth2ErrorDto"];
        TimeoutError: {
            /** @enum {unknown} */
            error?: "request_timeout";
        } & components["schemas"]["ErrorDto"];
        TimeoutOAuth2Error: components["schemas"]["TimeoutError"] | components["schemas"]["OAuth2ErrorDto"];
        VersionMismatchError: {
            /** @enum {unknown} */
            error?: "version_mismatch";
        } & components["schemas"]["ErrorDto"];
        TablesUnavailableError: {
            /** @enum {unknown} */
            error?: "table_busy" | "table_changed" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        UnsupportedTypeError: {
            /** @enum {unknown} */
            error?: "unsupported_media_type";
        } & components["schemas"]["ErrorDto"];
        UnsupportedTypeOAuth2Error: components["schemas"]["UnsupportedTypeError"] | components["schemas"]["OAuth2ErrorDto"];
        TooLargeError: {
            /** @enum {unknown} */
            error?: "too_large" | "too_many_objects";
        } & components["schemas"]["ErrorDto"];
        TooLargeOAuth2Error: components["schemas"]["TooLargeError"] | components["schemas"]["OAuth2ErrorDto"];
        BadRequestBodyError: {
            /** @enum {unknown} */
            error?: "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields";
        } & components["schemas"]["ErrorDto"];
        BadRequestBodyOAuth2Error: components["schemas"]["BadRequestBodyError"] | components["schemas"]["OAuth2ErrorDto"];
        WorkspaceNotesUnavailableError: {
            /** @enum {unknown} */
            error?: "table_changed" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        BadRequestPageError: {
            /** @enum {unknown} */
            error?: "invalid_request" | "database_limit_exceeded" | "invalid_cursor";
        } & components["schemas"]["ErrorDto"];
        InvalidError: {
            /** @enum {unknown} */
            error?: "idempotency_key_reused";
        } & components["schemas"]["ErrorDto"];
        UnsupportedTypeFilesError: {
            /** @enum {unknown} */
            error?: "unsupported_media_type" | "unsupported_file_type";
        } & components["schemas"]["ErrorDto"];
        ConflictError: {
            /** @enum {unknown} */
            error?: "idempotency_key_in_flight";
        } & components["schemas"]["ErrorDto"];
        BadRequestFilesError: {
            /** @enum {unknown} */
            error?: "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields" | "too_many_files" | "empty_file";
        } & components["schemas"]["ErrorDto"];
        TooLargeFilesError: {
            /** @enum {unknown} */
            error?: "too_large" | "too_many_objects" | "file_too_large";
        } & components["schemas"]["ErrorDto"];
        VirtualStagingConflictError: {
            /** @enum {unknown} */
            error?: "claim_lost" | "not_queued" | "already_finished" | "archived" | "external_id_taken" | "parent_immutable" | "idempotency_key_in_flight";
        } & components["schemas"]["ErrorDto"];
        TablesBadRequestPageError: {
            /** @enum {unknown} */
            error?: "invalid_query" | "unknown_revision" | "invalid_request" | "database_limit_exceeded" | "invalid_cursor";
        } & components["schemas"]["ErrorDto"];
        TablesBadRequestError: {
            /** @enum {unknown} */
            error?: "invalid_query" | "unknown_revision" | "invalid_request" | "database_limit_exceeded";
        } & components["schemas"]["ErrorDto"];
        AuthenticationUnauthorizedError: {
            /** @enum {unknown} */
            error?: "unauthenticated" | "invalid_token";
        } & components["schemas"]["ErrorDto"];
        ProjectsConflictError: {
            /** @enum {unknown} */
            error?: "archived" | "external_id_taken" | "parent_immutable" | "idempotency_key_in_flight";
        } & components["schemas"]["ErrorDto"];
        NotesConflictError: {
            /** @enum {unknown} */
            error?: "note_archived" | "archived" | "external_id_taken" | "parent_immutable" | "ambiguous_row" | "idempotency_key_in_flight";
        } & components["schemas"]["ErrorDto"];
        NotesInvalidError: {
            /** @enum {unknown} */
            error?: "unknown_row" | "unknown_table" | "invalid_note" | "idempotency_key_reused";
        } & components["schemas"]["ErrorDto"];
        NotAcceptableError: {
            /** @enum {unknown} */
            error?: "not_acceptable";
        } & components["schemas"]["ErrorDto"];
        TablesBadRequestBodyError: {
            /** @enum {unknown} */
            error?: "invalid_query" | "unknown_revision" | "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields";
        } & components["schemas"]["ErrorDto"];
        UnavailableFilesError: {
            /** @enum {unknown} */
            error?: "table_changed" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full" | "storage_unavailable" | "upload_expired";
        } & components["schemas"]["ErrorDto"];
        ListNotesInvalidError: {
            /** @enum {unknown} */
            error?: "unknown_row" | "unknown_table" | "invalid_note";
        } & components["schemas"]["ErrorDto"];
        RangeNotSatisfiableError: {
            /** @enum {unknown} */
            error?: "range_not_satisfiable";
        } & components["schemas"]["ErrorDto"];
        AttachmentsUnavailableError: {
            /** @enum {unknown} */
            error?: "storage_unavailable" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        ConflictRowError: {
            /** @enum {unknown} */
            error?: "column_type_conflict" | "idempotency_key_in_flight";
        } & components["schemas"]["RowErrorResponse"];
        TablesTooLargeError: {
            /** @enum {unknown} */
            error?: "too_many_rows" | "too_many_tables" | "too_large" | "too_many_objects";
        } & components["schemas"]["ErrorDto"];
        InvalidRowError: {
            /** @enum {unknown} */
            error?: "invalid_rows" | "invalid_columns" | "duplicate_table" | "idempotency_key_reused";
        } & components["schemas"]["RowErrorResponse"];
        TablesInvalidRowError: {
            /** @enum {unknown} */
            error?: "invalid_rows" | "invalid_key";
        } & components["schemas"]["RowErrorResponse"];
        EventsConflictError: {
            /** @enum {unknown} */
            error?: "subscription_disabled";
        } & components["schemas"]["ErrorDto"];
        ChangeProjectConflictError: {
            /** @enum {unknown} */
            error?: "archived" | "external_id_taken" | "parent_immutable";
        } & components["schemas"]["ErrorDto"];
        NotesUnavailableFilesError: {
            /** @enum {unknown} */
            error?: "table_changed" | "statuses_changed" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full" | "storage_unavailable" | "upload_expired";
        } & components["schemas"]["ErrorDto"];
        VirtualStagingInvalidError: {
            /** @enum {unknown} */
            error?: "not_an_image" | "unknown_file" | "no_variations" | "too_many_variations" | "idempotency_key_reused";
        } & components["schemas"]["ErrorDto"];
        AnalyticsInvalidError: {
            /** @enum {unknown} */
            error?: "unknown_row" | "unknown_table";
        } & components["schemas"]["ErrorDto"];
        TablesImportsBadRequestBodyError: {
            /** @enum {unknown} */
            error?: "malformed_import" | "invalid_query" | "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields";
        } & components["schemas"]["ErrorDto"];
        TablesImportsTooLargeError: {
            /** @enum {unknown} */
            error?: "line_too_long" | "too_large";
        } & components["schemas"]["ErrorDto"];
        TablesImportsUnavailableError: {
            /** @enum {unknown} */
            error?: "table_busy" | "table_changed" | "too_many_imports" | "instance_stopping" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        InvalidTableError: {
            /** @enum {unknown} */
            error?: "invalid_columns" | "invalid_index";
        } & components["schemas"]["TableErrorResponse"];
        GoneError: {
            /** @enum {unknown} */
            error?: "events_removed";
        } & components["schemas"]["ErrorDto"];
        EventsInvalidError: {
            /** @enum {unknown} */
            error?: "invalid_url";
        } & components["schemas"]["ErrorDto"];
        UsersConflictError: {
            /** @enum {unknown} */
            error?: "archived" | "external_id_taken" | "parent_immutable" | "own_access" | "idempotency_key_in_flight";
        } & components["schemas"]["ErrorDto"];
        UsersInvalidError: {
            /** @enum {unknown} */
            error?: "invalid_items" | "duplicate" | "idempotency_key_reused";
        } & components["schemas"]["ErrorDto"];
        ChangeUserConflictError: {
            /** @enum {unknown} */
            error?: "archived" | "external_id_taken" | "parent_immutable" | "own_access";
        } & components["schemas"]["ErrorDto"];
        TagsInvalidError: {
            /** @enum {unknown} */
            error?: "unknown_row" | "unknown_table" | "invalid_items" | "duplicate" | "idempotency_key_reused";
        } & components["schemas"]["ErrorDto"];
        ChangeNoteConflictError: {
            /** @enum {unknown} */
            error?: "note_archived" | "archived" | "external_id_taken" | "parent_immutable" | "ambiguous_row";
        } & components["schemas"]["ErrorDto"];
        PublicNotesForbiddenError: {
            /** @enum {unknown} */
            error?: "public_notes_off" | "note_not_public";
        } & components["schemas"]["ErrorDto"];
        PublicNotesTooLargeFilesError: {
            /** @enum {unknown} */
            error?: "public_text_too_large" | "too_large" | "too_many_objects" | "file_too_large";
        } & components["schemas"]["ErrorDto"];
        PublicNotesRateLimitedError: {
            /** @enum {unknown} */
            error?: "too_many_requests" | "public_quota_full";
        } & components["schemas"]["ErrorDto"];
        AttachmentsForbiddenError: {
            /** @enum {unknown} */
            error?: "url_expired" | "invalid_signature" | "insufficient_scope";
        } & components["schemas"]["ErrorDto"];
        DownloadPublicAttachmentForbiddenError: {
            /** @enum {unknown} */
            error?: "url_expired" | "invalid_signature";
        } & components["schemas"]["ErrorDto"];
        VirtualStagingBadRequestFilesError: {
            /** @enum {unknown} */
            error?: "required" | "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields" | "too_many_files" | "empty_file";
        } & components["schemas"]["ErrorDto"];
        VirtualStagingUnavailableFilesError: {
            /** @enum {unknown} */
            error?: "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full" | "storage_unavailable" | "upload_expired";
        } & components["schemas"]["ErrorDto"];
        TablesConflictError: {
            /** @enum {unknown} */
            error?: "import_cancelled" | "import_id_taken" | "already_finished" | "too_many_deletions" | "idempotency_key_in_flight";
        } & components["schemas"]["ErrorDto"];
        TablesImportsInvalidRowError: {
            /** @enum {unknown} */
            error?: "invalid_rows" | "invalid_header" | "unknown_table" | "invalid_columns" | "idempotency_key_reused";
        } & components["schemas"]["RowErrorResponse"];
        TablesConflictRowError: {
            /** @enum {unknown} */
            error?: "key_taken" | "idempotency_key_in_flight";
        } & components["schemas"]["RowErrorResponse"];
        TablesSingleRowsInvalidRowError: {
            /** @enum {unknown} */
            error?: "invalid_rows" | "invalid_key" | "idempotency_key_reused";
        } & components["schemas"]["RowErrorResponse"];
        OperationsUnavailableError: {
            /** @enum {unknown} */
            error?: "not_ready" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        EventsUnavailableError: {
            /** @enum {unknown} */
            error?: "too_many_waiting" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        CreateSubscriptionConflictError: {
            /** @enum {unknown} */
            error?: "too_many_subscriptions";
        } & components["schemas"]["ErrorDto"];
        AuthenticationBadRequestBodyError: {
            /** @enum {unknown} */
            error?: "unsupported_grant_type" | "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields";
        } & components["schemas"]["ErrorDto"];
        AuthenticationBadRequestBodyOAuth2Error: components["schemas"]["AuthenticationBadRequestBodyError"] | components["schemas"]["OAuth2ErrorDto"];
        IssueTokenUnauthorizedError: {
            /** @enum {unknown} */
            error?: "invalid_client" | "invalid_grant";
        } & components["schemas"]["ErrorDto"];
        IssueTokenUnauthorizedOAuth2Error: components["schemas"]["IssueTokenUnauthorizedError"] | components["schemas"]["OAuth2ErrorDto"];
        AuthenticationForbiddenError: {
            /** @enum {unknown} */
            error?: "invalid_scope" | "invalid_grant";
        } & components["schemas"]["ErrorDto"];
        AuthenticationForbiddenOAuth2Error: components["schemas"]["AuthenticationForbiddenError"] | components["schemas"]["OAuth2ErrorDto"];
        RevokeTokenUnauthorizedError: {
            /** @enum {unknown} */
            error?: "invalid_client";
        } & components["schemas"]["ErrorDto"];
        RevokeTokenUnauthorizedOAuth2Error: components["schemas"]["RevokeTokenUnauthorizedError"] | components["schemas"]["OAuth2ErrorDto"];
        RevokeTokenForbiddenError: {
            /** @enum {unknown} */
            error?: "invalid_grant";
        } & components["schemas"]["ErrorDto"];
        RevokeTokenForbiddenOAuth2Error: components["schemas"]["RevokeTokenForbiddenError"] | components["schemas"]["OAuth2ErrorDto"];
        StartHereConflictError: {
            /** @enum {unknown} */
            error?: "slug_taken" | "archived";
        } & components["schemas"]["ErrorDto"];
        LegacyWebhookUnauthorizedError: {
            /** @enum {unknown} */
            error?: "unauthenticated" | "invalid_api_key";
        } & components["schemas"]["ErrorDto"];
        LegacyWebhookTooLargeError: {
            /** @enum {unknown} */
            error?: "too_many_rows" | "too_large" | "too_many_objects";
        } & components["schemas"]["ErrorDto"];
        InvalidLegacyRecordError: {
            /** @enum {unknown} */
            error?: "invalid_records" | "incompatible_table" | "idempotency_key_reused";
        } & components["schemas"]["LegacyRecordErrorResponse"];
        ChangeTagInvalidError: {
            /** @enum {unknown} */
            error?: "unknown_row" | "unknown_table" | "invalid_items" | "duplicate";
        } & components["schemas"]["ErrorDto"];
        ChangeVirtualStagingConflictError: {
            /** @enum {unknown} */
            error?: "claim_lost" | "not_queued" | "already_finished" | "archived" | "external_id_taken" | "parent_immutable";
        } & components["schemas"]["ErrorDto"];
        TablesBatchesConflictRowError: {
            /** @enum {unknown} */
            error?: "batch_conflict" | "already_undone" | "not_undoable" | "idempotency_key_in_flight";
        } & components["schemas"]["RowErrorResponse"];
        TablesPushTooLargeError: {
            /** @enum {unknown} */
            error?: "too_many_keys" | "too_large" | "too_many_objects";
        } & components["schemas"]["ErrorDto"];
        TablesPushInvalidRowError: {
            /** @enum {unknown} */
            error?: "invalid_keys" | "idempotency_key_reused";
        } & components["schemas"]["RowErrorResponse"];
        TablesInvalidError: {
            /** @enum {unknown} */
            error?: "invalid_rows" | "invalid_header" | "unknown_table" | "invalid_columns";
        } & components["schemas"]["ErrorDto"];
        TablesImportsConflictError: {
            /** @enum {unknown} */
            error?: "import_cancelled" | "import_id_taken" | "already_finished" | "too_many_deletions";
        } & components["schemas"]["ErrorDto"];
        TablesReadBadRequestBodyError: {
            /** @enum {unknown} */
            error?: "invalid_query" | "unknown_revision" | "invalid_cursor" | "invalid_request" | "database_limit_exceeded" | "malformed_json" | "incomplete_body" | "too_many_fields";
        } & components["schemas"]["ErrorDto"];
        TablesReadUnavailableError: {
            /** @enum {unknown} */
            error?: "table_busy" | "table_changed" | "too_many_exports" | "database_unavailable" | "database_timeout" | "busy" | "overloaded" | "storage_full";
        } & components["schemas"]["ErrorDto"];
        TablesGoneError: {
            /** @enum {unknown} */
            error?: "revision_gone";
        } & components["schemas"]["ErrorDto"];
        ConflictTableError: {
            /** @enum {unknown} */
            error?: "name_taken" | "column_type_conflict";
        } & components["schemas"]["TableErrorResponse"];
    };
    responses: {
        /** @description Invalid content, listed in the details. */
        AnalyticsInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AnalyticsInvalidError"];
            };
        };
        /** @description The credentials lack the scope (`insufficient_scope`). */
        AttachmentsForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AttachmentsForbiddenError"];
            };
        };
        /** @description The caller has the current file. */
        AttachmentsNotModified: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        AttachmentsUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AttachmentsUnavailableError"];
            };
        };
        /** @description Missing, invalid, expired or revoked credentials. */
        AuthenticationUnauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthenticationUnauthorizedError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        BadRequestBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestBodyError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        BadRequestFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestFilesError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        BadRequestPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestPageError"];
            };
        };
        /** @description All items existed. */
        BulkCreatedResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BulkCreatedResponse"];
            };
        };
        /** @description It conflicts with stored data. */
        ChangeNoteConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChangeNoteConflictError"];
            };
        };
        /** @description It conflicts with stored data. */
        ChangeProjectConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChangeProjectConflictError"];
            };
        };
        /** @description It conflicts with stored data. */
        ChangeUserConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChangeUserConflictError"];
            };
        };
        /** @description The `Idempotency-Key` is in use. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConflictError"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        ConflictRow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConflictRowError"];
            };
        };
        /** @description OK. */
        CreateBulkCreatedResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BulkCreatedResponse"];
            };
        };
        /** @description The note was created. */
        CreatedNoteResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteResponse"];
            };
        };
        /** @description OK. */
        DeletedItemResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DeletedItemResponse"];
            };
        };
        /** @description OK. */
        DeliveryResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DeliveryResponse"];
            };
        };
        /** @description The credentials lack the scope (`insufficient_scope`). */
        DownloadPublicAttachmentForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DownloadPublicAttachmentForbiddenError"];
            };
        };
        /** @description OK. */
        EmptyResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmptyResponse"];
            };
        };
        /** @description It conflicts with stored data. */
        EventsConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EventsConflictError"];
            };
        };
        /** @description Invalid content, listed in the details. */
        EventsInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EventsInvalidError"];
            };
        };
        /** @description The credentials lack the scope (`insufficient_scope`). */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenError"];
            };
        };
        /** @description The resource existed and was removed. */
        Gone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GoneError"];
            };
        };
        /** @description Everything was stored. */
        ImportReportResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ImportReportResponse"];
            };
        };
        /** @description OK. */
        ImportResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ImportResponse"];
            };
        };
        /** @description The `Idempotency-Key` was used differently. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidError"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        InvalidRow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRowError"];
            };
        };
        /** @description Invalid content, listed in the details. */
        InvalidTable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidTableError"];
            };
        };
        /** @description OK. */
        ItemPathResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ItemPathResponse"];
            };
        };
        /** @description OK. */
        ItemResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ItemResponse"];
            };
        };
        /** @description A page of rows. */
        ItemsPageResponse: {
            headers: {
                ETag: components["headers"]["ETag"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ItemsPageResponse"];
            };
        };
        /** @description Invalid content, listed in the details. */
        ListNotesInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ListNotesInvalidError"];
            };
        };
        /** @description Items failed, and `onError` is `continue`. */
        MultiStatusBulkCreatedResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BulkCreatedResponse"];
            };
        };
        /** @description None of the media types in `Accept` is available; the message lists those that are. */
        NotAcceptable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotAcceptableError"];
            };
        };
        /** @description It does not exist or belongs to another workspace. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundError"];
            };
        };
        /** @description The record still has the `ETag` in `If-None-Match`. */
        NotModified: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description OK. */
        NoteEventPageResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteEventPageResponse"];
            };
        };
        /** @description OK. */
        NoteMessagePageResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteMessagePageResponse"];
            };
        };
        /** @description The message was added. */
        NoteMessageResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteMessageResponse"];
            };
        };
        /** @description OK. */
        NotePageResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotePageResponse"];
            };
        };
        /** @description OK. */
        NoteResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteResponse"];
            };
        };
        /** @description OK. */
        NoteStatusesResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteStatusesResponse"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        NotesConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotesConflictError"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        NotesInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotesInvalidError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        NotesUnavailableFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotesUnavailableFilesError"];
            };
        };
        /** @description The file. */
        OK: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "*/*": string;
            };
        };
        /** @description The note was updated. */
        OKNoteResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NoteResponse"];
            };
        };
        /** @description The requested range of the file. */
        PartialContent: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "*/*": string;
            };
        };
        /** @description OK. */
        ProjectResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ProjectResponse"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        ProjectsConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ProjectsConflictError"];
            };
        };
        /** @description The credentials lack the scope (`insufficient_scope`). */
        PublicNotesForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PublicNotesForbiddenError"];
            };
        };
        /** @description The rate limit is exceeded. Retry after `Retry-After` seconds. */
        PublicNotesRateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PublicNotesRateLimitedError"];
            };
        };
        /** @description A limit is exceeded; the details contain limit and actual value. */
        PublicNotesTooLargeFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PublicNotesTooLargeFilesError"];
            };
        };
        /** @description The range is outside the file; `Content-Range` contains its size. */
        RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RangeNotSatisfiableError"];
            };
        };
        /** @description The rate limit is exceeded. Retry after `Retry-After` seconds. */
        RateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedError"];
            };
        };
        /** @description The rate limit is exceeded. Retry after `Retry-After` seconds. */
        RateLimitedOAuth2: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedOAuth2Error"];
            };
        };
        /** @description The row has the key, and everything that refers to it was updated. */
        RenamedResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RenamedResponse"];
            };
        };
        /** @description OK. */
        StagingResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["StagingResponse"];
            };
        };
        /** @description OK. */
        SubscriptionResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SubscriptionResponse"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        TablesBadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesBadRequestError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        TablesBadRequestBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesBadRequestBodyError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        TablesBadRequestPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesBadRequestPageError"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        TablesConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesConflictError"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        TablesConflictRow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesConflictRowError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        TablesImportsBadRequestBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesImportsBadRequestBodyError"];
            };
        };
        /** @description With `onError=continue`: the valid rows were stored. */
        TablesImportsImportReportResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ImportReportResponse"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        TablesImportsInvalidRow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesImportsInvalidRowError"];
            };
        };
        /** @description A limit is exceeded; the details contain limit and actual value. */
        TablesImportsTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesImportsTooLargeError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        TablesImportsUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesImportsUnavailableError"];
            };
        };
        /** @description Invalid content, listed in the details. */
        TablesInvalidRow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesInvalidRowError"];
            };
        };
        /** @description Everything was stored, and a table was created. */
        TablesPushUpsertReportResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UpsertReportResponse"];
            };
        };
        /** @description OK. */
        TablesReadItemsPageResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ItemsPageResponse"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        TablesSingleRowsInvalidRow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesSingleRowsInvalidRowError"];
            };
        };
        /** @description The row was created. */
        TablesSingleRowsWrittenItemResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrittenItemResponse"];
            };
        };
        /** @description A limit is exceeded; the details contain limit and actual value. */
        TablesTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesTooLargeError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        TablesUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TablesUnavailableError"];
            };
        };
        /** @description OK. */
        TagResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TagResponse"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        TagsInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TagsInvalidError"];
            };
        };
        /** @description The body was not received in time. The connection is closed. */
        Timeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TimeoutError"];
            };
        };
        /** @description The body was not received in time. The connection is closed. */
        TimeoutOAuth2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TimeoutOAuth2Error"];
            };
        };
        /** @description A limit is exceeded; the details contain limit and actual value. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooLargeError"];
            };
        };
        /** @description A limit is exceeded; the details contain limit and actual value. */
        TooLargeFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooLargeFilesError"];
            };
        };
        /** @description A limit is exceeded; the details contain limit and actual value. */
        TooLargeOAuth2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooLargeOAuth2Error"];
            };
        };
        /** @description OK. */
        TourResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TourResponse"];
            };
        };
        /** @description Missing, invalid, expired or revoked credentials. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnavailableError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        UnavailableFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnavailableFilesError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        UnavailableOAuth2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnavailableOAuth2Error"];
            };
        };
        /** @description The media type is not accepted. */
        UnsupportedType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedTypeError"];
            };
        };
        /** @description The media type is not accepted. */
        UnsupportedTypeFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedTypeFilesError"];
            };
        };
        /** @description The media type is not accepted. */
        UnsupportedTypeOAuth2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedTypeOAuth2Error"];
            };
        };
        /** @description Everything was stored. */
        UpsertReportResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UpsertReportResponse"];
            };
        };
        /** @description With `onError=continue`: the valid rows were stored. */
        UpsertUpsertReportResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UpsertReportResponse"];
            };
        };
        /** @description OK. */
        UserResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UserResponse"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        UsersConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UsersConflictError"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        UsersInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UsersInvalidError"];
            };
        };
        /** @description The record does not have the version in `If-Match`. Nothing was changed. */
        VersionMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VersionMismatchError"];
            };
        };
        /** @description Malformed, or an unknown field or parameter. */
        VirtualStagingBadRequestFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VirtualStagingBadRequestFilesError"];
            };
        };
        /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
        VirtualStagingConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VirtualStagingConflictError"];
            };
        };
        /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
        VirtualStagingInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VirtualStagingInvalidError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        VirtualStagingUnavailableFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VirtualStagingUnavailableFilesError"];
            };
        };
        /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
        WorkspaceNotesUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceNotesUnavailableError"];
            };
        };
        /** @description OK. */
        WorkspaceResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceResponse"];
            };
        };
        /** @description OK. */
        WrittenItemResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrittenItemResponse"];
            };
        };
    };
    parameters: {
        /** @description Only records of this project. */
        AnalyticsProjectId: string;
        /** @description Required if the caller is a member of several workspaces. */
        AnalyticsWorkspaceId: string;
        /** @description `all` includes archived records; `true` returns only archived ones. */
        Archived: "false" | "true" | "all";
        /** @description Key of an asset: only its notes. */
        Asset: string;
        /** @description The table of `asset`, by ID or name; by default all asset tables. */
        AssetKey: string;
        /** @description One, or several separated by commas. Example: `maria.huber@example.com`. */
        Assignee: string;
        AttachmentsIfNoneMatch: string;
        /** @description Such as `windows-1252`. */
        Charset: string;
        /** @description Columns by names in the file: `EQUNR:equnr,EQKTX:name`. */
        Columns: string;
        /** @description Adds `total`: the exact number of rows, or the estimate of the query planner. */
        Count: "exact" | "estimated";
        /** @description `continue` stores the valid items and returns 207. `stop` stores nothing if an item is invalid. */
        CreateOnError: "stop" | "continue";
        /** @description `nextCursor` of the previous page. */
        Cursor: string;
        /** @description In addition to ISO dates: `DD.MM.YYYY,M/D/YYYY`. */
        DateFormat: string;
        Decimal: "." | ",";
        /** @description Between cells of CSV: a character or `tab`. */
        Delimiter: string;
        /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
        Depth: number;
        /** @description `true` does everything, returns the report, and stores nothing. */
        DryRun: "true" | "false";
        /** @description Due at or after. Example: `2026-12-01T08:00:00Z`. */
        DueFrom: string | null;
        /** @description Due before. Example: `2026-12-01T08:00:00Z`. */
        DueTo: string | null;
        /** @description The table's entity. */
        Entity: "locations" | "assets" | "lists";
        /** @description Reference columns, separated by commas; `expanded` contains the titles of the rows that they refer to. */
        Expand: string;
        /** @description Expiry of the URL, in seconds since the Unix epoch. */
        Expires: number;
        /** @description Only the record with this external ID. */
        ExternalId: string;
        /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
        Fields: string;
        /**
         * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
         *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
         *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
         */
        Filter: string;
        /** @description The first day. By default 30 days before `to`. Example: `2026-03-01`. */
        From: string;
        /** @description Weeks begin on Monday. `from` and `to` may shorten the first and the last bucket. At most 1,000 buckets. */
        Granularity: "day" | "week" | "month";
        /** @description Line of the CSV header. Lines before it are skipped. */
        HeaderLine: number;
        Id: string;
        /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
        IdempotencyKey: string;
        /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
        IfMatch: string;
        /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
        IfNoneMatch: string;
        /** @description A new ID, to query and cancel the import while it is in progress. */
        ImportId: string;
        /** @description The row's primary key, percent-encoded. */
        Key: string;
        /** @description Number of records on the page. */
        Limit: number;
        /** @description `true`: only archived notes; `all`: archived notes too. */
        ListArchived: "false" | "true" | "all";
        /** @description ID of the note in the caller's system. */
        ListExternalId: string;
        /** @description Key of a location: only its notes. */
        ListLocation: string;
        /** @description The table of `location` or `under`, by ID or name; by default all location tables. */
        ListLocationKey: string;
        ListProjectId: string | null;
        /** @description Prefixes of words in title or description, all of which must match; or `#` and the number of a note. */
        ListQ: string;
        /** @description Notes without a due date are last when sorted by it. */
        ListSort: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "dueDate" | "-dueDate";
        ListTourId: string | null;
        /** @description Key of a location: only notes of its subtree. */
        ListUnder: string;
        /** @description Only records of this workspace. */
        ListWorkspaceId: string;
        /** @description Key of a location: only records of it and of its subtree. */
        Location: string;
        /** @description ID or name of the location table. By default all tables that contain the key. */
        LocationKey: string;
        /** @description More deletions are rejected: a number, or a percentage of the rows. */
        MaxDeletions: string;
        /** @description `replace` also deletes the rows that the file lacks, within `under` and `filter`. */
        Mode: "upsert" | "replace";
        /** @description Texts that mean null: `00000000,n/a`. */
        NullValues: string;
        /** @description The note with this number in its workspace. Example: `12`. */
        Number: number;
        /** @description Which of several rows with one key is stored. `error`: none. */
        OnDuplicate: "error" | "first" | "last";
        /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
        OnError: "abort" | "continue";
        /** @description The table's entity. */
        PathEntity: "locations" | "assets" | "lists";
        /** @description The row's primary key, percent-encoded. */
        PathKey: string;
        /** @description The table's ID, or its percent-encoded name in any letter case. */
        PathTable: string;
        PathWorkspaceId: string;
        /** @description One, or several separated by commas. Example: `high`. */
        Priority: string;
        /** @description Only records of this project. */
        ProjectId: string | null;
        /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
        Q: string;
        /** @description Around cells of CSV: a character, or `none`. */
        Quote: string;
        /** @description Example: `bytes=0-1023`. */
        Range: string;
        /** @description One, or several separated by commas. Example: `j.novak@example.com`. */
        Reporter: string;
        /** @description `items` adds a result per row, in the order sent. */
        Return: "items";
        Signature: string;
        /**
         * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
         *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
         *     column.
         */
        Sort: string;
        Source: components["schemas"]["NoteSource"];
        /** @description One, or several separated by commas. Example: `open,in_progress`. */
        Status: string;
        /** @description The table's ID, or its percent-encoded name in any letter case. */
        Table: string;
        /** @description The keys of 2 to 4 columns, separated by commas. The primary key follows in every index; omit it. */
        TablesAdministrationColumns: string;
        /** @description `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
        TablesReadCursor: string;
        /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
        TablesReadFields: string;
        /** @description Maximum number of rows on the page. */
        TablesReadLimit: number;
        /** @description `*`: only if the row does not exist yet, else 412. */
        TablesSingleRowsIfNoneMatch: "*";
        /** @description The row's primary key. */
        TablesSingleRowsKey: string;
        /** @description Example: `42`. */
        TagId: number | null;
        TagsId: number;
        Thousands: "." | "," | " " | "'";
        /** @description IANA name of the timezone of the days. By default that of the workspace. Example: `Europe/Vienna`. */
        Timezone: string;
        /** @description The day after the last day. By default tomorrow. Example: `2026-04-01`. */
        To: string;
        /** @description Only records of this tour. */
        TourId: string | null;
        /** @description `true` removes outer white space. */
        Trim: "true" | "false";
        /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
        Under: string;
        UnknownColumns: "error" | "ignore";
        /** @description Changed at or after. Example: `2026-12-01T08:00:00Z`. */
        UpdatedFrom: string | null;
        /** @description Changed before. Example: `2026-12-01T08:00:00Z`. */
        UpdatedTo: string | null;
        /** @description The ID of the workspace. */
        UsersId: string;
        /** @description Only the membership of this workspace; by default, those of all workspaces of the caller. */
        UsersWorkspaceId: string;
        /** @description One of the caller's workspaces. */
        WorkspaceId: string;
        /** @description The `claimToken` of the claim, unless the body contains it. */
        XClaimToken: string;
    };
    requestBodies: never;
    headers: {
        /** @description The revision of the table. Pages with `expand` have none, because they depend on other tables. */
        ETag: string;
        /** @description On all pages except the last: `<URL>; rel="next"`. */
        Link: string;
        /** @description `r` requests remain for the next `t` seconds. Every counted response has this header. */
        RateLimit: string;
        /** @description The policy: `q` requests per `w` seconds. */
        RateLimitPolicy: string;
        /** @description Seconds to wait. */
        RetryAfter: number;
    };
    pathItems: {
        ImportEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** An import was cancelled. Nothing was stored. An import failed. Nothing was stored. An import stored its rows. */
            post: operations["receiveImportEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        MemberEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A user was invited, or a membership was restored. A user accepted an invitation, or the operator added the user. A user was removed, or declined an invitation. */
            post: operations["receiveMemberEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        NoteEventData: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A note was archived. A note was created. A note was restored. */
            post: operations["receiveNoteEventData"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        NoteMessageCreated: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A message was added to a note. */
            post: operations["receiveNoteMessageCreated"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        NoteUpdated: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** Fields of a note changed, or files were added. */
            post: operations["receiveNoteUpdated"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        ProjectEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A project was archived. A project was created. A project was restored. A project changed. */
            post: operations["receiveProjectEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        TableEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A table was created. A table was dropped. The name or the columns of a table changed. */
            post: operations["receiveTableEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        TableRowsChanged: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A call changed rows of a table. Read them with `changes?since=fromRevision`. */
            post: operations["receiveTableRowsChanged"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        TagEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A tag was archived. A tag was created. A tag was restored. A tag changed. */
            post: operations["receiveTagEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        TourEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A tour was archived. A tour was created. A tour was restored. A tour changed. */
            post: operations["receiveTourEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        VirtualStagingEvent: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /** A virtual staging was cancelled. A renderer completed a virtual staging. A virtual staging failed. A virtual staging waits for a renderer, for the first time or again. */
            post: operations["receiveVirtualStagingEvent"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
    };
}
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance is ready for requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsUnavailableError"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous response. Without it, the oldest events are returned. */
                after?: number;
                /** @description Types, separated by commas; `note.*` is every type of notes. Example: `note.*,table.rows_changed`. */
                types?: string;
                limit?: number;
                /** @description If there are no events, wait this many seconds for the first. */
                wait?: number;
            };
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsUnavailableError"];
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscriptionDto"];
            };
        };
        responses: {
            201: components["responses"]["SubscriptionResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            /** @description It conflicts with stored data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateSubscriptionConflictError"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["EventsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SubscriptionResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EmptyResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSubscriptionDto"];
            };
        };
        responses: {
            200: components["responses"]["SubscriptionResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["EventsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceSubscriptionSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SubscriptionResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    pingSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["EventsConflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayEvents: {
        parameters: {
            query: {
                /** @description The first event to send again. */
                from: number;
            };
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SubscriptionResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["EventsConflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    repeatDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
                id: components["parameters"]["Id"];
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["EventsConflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getKeySet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JwksDto"];
                };
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["RateLimited"];
        };
    };
    getAuthorizationServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Endpoints, grants and scopes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationServerDto"];
                };
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["RateLimited"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequestDto"];
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequestDto"];
            };
        };
        responses: {
            /** @description A token pair. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenOrFormResponse"];
                };
            };
            /** @description Malformed, or an unknown field or parameter. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthenticationBadRequestBodyOAuth2Error"];
                };
            };
            /** @description Missing, invalid, expired or revoked credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueTokenUnauthorizedOAuth2Error"];
                };
            };
            /** @description The credentials lack the scope (`insufficient_scope`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthenticationForbiddenOAuth2Error"];
                };
            };
            408: components["responses"]["TimeoutOAuth2"];
            413: components["responses"]["TooLargeOAuth2"];
            415: components["responses"]["UnsupportedTypeOAuth2"];
            429: components["responses"]["RateLimitedOAuth2"];
            503: components["responses"]["UnavailableOAuth2"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EmptyResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AuthenticationUnauthorized"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevocationRequestDto"];
                "application/x-www-form-urlencoded": components["schemas"]["RevocationRequestDto"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocationOrFormResponse"];
                };
            };
            /** @description Malformed, or an unknown field or parameter. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequestBodyOAuth2Error"];
                };
            };
            /** @description Missing, invalid, expired or revoked credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeTokenUnauthorizedOAuth2Error"];
                };
            };
            /** @description The credentials lack the scope (`insufficient_scope`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeTokenForbiddenOAuth2Error"];
                };
            };
            408: components["responses"]["TimeoutOAuth2"];
            413: components["responses"]["TooLargeOAuth2"];
            415: components["responses"]["UnsupportedTypeOAuth2"];
            429: components["responses"]["RateLimitedOAuth2"];
            503: components["responses"]["UnavailableOAuth2"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AuthenticationUnauthorized"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EmptyResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AuthenticationUnauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AuthenticationUnauthorized"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The ID of the workspace. */
                id: components["parameters"]["UsersId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EmptyResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AuthenticationUnauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the workspace. */
                id: components["parameters"]["UsersId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EmptyResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AuthenticationUnauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only records of this workspace. */
                workspaceId?: components["parameters"]["ListWorkspaceId"];
                /** @description Only records whose email or displayName contains this text, ignoring letter case. */
                q?: string;
                /** @description Only the record with this external ID. */
                externalId?: components["parameters"]["ExternalId"];
                /** @description `all` includes archived records; `true` returns only archived ones. */
                archived?: components["parameters"]["Archived"];
                sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "email" | "-email";
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
                /** @description One or several, separated by commas. Example: `active,suspended`. */
                status?: ("active" | "suspended")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUserDto"];
            };
        };
        responses: {
            /** @description The user existed and was updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
            /** @description The user was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["UsersConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createUsers: {
        parameters: {
            query?: {
                /** @description `continue` stores the valid items and returns 207. `stop` stores nothing if an item is invalid. */
                onError?: components["parameters"]["CreateOnError"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsersBulkDto"];
            };
        };
        responses: {
            200: components["responses"]["BulkCreatedResponse"];
            201: components["responses"]["CreateBulkCreatedResponse"];
            207: components["responses"]["MultiStatusBulkCreatedResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["UsersInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: {
                /** @description Only the membership of this workspace; by default, those of all workspaces of the caller. */
                workspaceId?: components["parameters"]["UsersWorkspaceId"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveUser: {
        parameters: {
            query?: {
                /** @description Only the membership of this workspace; by default, those of all workspaces of the caller. */
                workspaceId?: components["parameters"]["UsersWorkspaceId"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ChangeUserConflict"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeUser: {
        parameters: {
            query?: {
                /** @description Only the membership of this workspace; by default, those of all workspaces of the caller. */
                workspaceId?: components["parameters"]["UsersWorkspaceId"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeUserDto"];
            };
        };
        responses: {
            200: components["responses"]["UserResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ChangeUserConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreUser: {
        parameters: {
            query?: {
                /** @description Only the membership of this workspace; by default, those of all workspaces of the caller. */
                workspaceId?: components["parameters"]["UsersWorkspaceId"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UsersConflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only records whose name or slug contains this text, ignoring letter case. */
                q?: string;
                sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "slug" | "-slug";
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspacePageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WorkspaceResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWorkspaceDto"];
            };
        };
        responses: {
            200: components["responses"]["WorkspaceResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            /** @description It conflicts with stored data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartHereConflictError"];
                };
            };
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    pushLegacyRecords: {
        parameters: {
            query?: {
                /** @description `abort` stores all records or none. `continue` stores the valid records and returns 207 with the errors of the others. */
                onError?: "abort" | "continue";
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LegacyPayloadDto"];
            };
        };
        responses: {
            /** @description All records were stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyReportResponse"];
                };
            };
            /** @description All records were stored, and a table was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyReportResponse"];
                };
            };
            /** @description With `onError=continue`: the valid records were stored. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyReportResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            /** @description Missing, invalid, expired or revoked credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyWebhookUnauthorizedError"];
                };
            };
            403: components["responses"]["Forbidden"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            /** @description A limit is exceeded; the details contain limit and actual value. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyWebhookTooLargeError"];
                };
            };
            415: components["responses"]["UnsupportedType"];
            /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidLegacyRecordError"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only records of this workspace. */
                workspaceId?: components["parameters"]["ListWorkspaceId"];
                /** @description Only records whose name or description contains this text, ignoring letter case. */
                q?: string;
                /** @description Only the record with this external ID. */
                externalId?: components["parameters"]["ExternalId"];
                /** @description `all` includes archived records; `true` returns only archived ones. */
                archived?: components["parameters"]["Archived"];
                sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name";
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
                /** @description One or several, separated by commas. Example: `active,archived`. */
                status?: ("active" | "archived")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProjectDto"];
            };
        };
        responses: {
            /** @description The project existed and was updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectResponse"];
                };
            };
            /** @description The project was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ProjectsConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ProjectResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ProjectResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProjectDto"];
            };
        };
        responses: {
            200: components["responses"]["ProjectResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ChangeProjectConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ProjectResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ProjectsConflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTours: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only records of this workspace. */
                workspaceId?: components["parameters"]["ListWorkspaceId"];
                /** @description Only records whose title or description contains this text, ignoring letter case. */
                q?: string;
                /** @description Only the record with this external ID. */
                externalId?: components["parameters"]["ExternalId"];
                /** @description `all` includes archived records; `true` returns only archived ones. */
                archived?: components["parameters"]["Archived"];
                sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "title" | "-title";
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
                /** @description Only records of this project. */
                projectId?: components["parameters"]["ProjectId"];
                /** @description One or several, separated by commas. Example: `draft,processing`. */
                status?: ("draft" | "processing" | "published" | "archived" | "failed")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TourPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTour: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTourDto"];
            };
        };
        responses: {
            /** @description The tour existed and was updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TourResponse"];
                };
            };
            /** @description The tour was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TourResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ProjectsConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTours: {
        parameters: {
            query?: {
                /** @description `continue` stores the valid items and returns 207. `stop` stores nothing if an item is invalid. */
                onError?: components["parameters"]["CreateOnError"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToursBulkDto"];
            };
        };
        responses: {
            200: components["responses"]["BulkCreatedResponse"];
            201: components["responses"]["CreateBulkCreatedResponse"];
            207: components["responses"]["MultiStatusBulkCreatedResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["UsersInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTour: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TourResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveTour: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TourResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeTour: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTourDto"];
            };
        };
        responses: {
            200: components["responses"]["TourResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ChangeProjectConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreTour: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TourResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ProjectsConflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only records of this workspace. */
                workspaceId?: components["parameters"]["ListWorkspaceId"];
                /** @description Only records whose label or description contains this text, ignoring letter case. */
                q?: string;
                /** @description Only the record with this external ID. */
                externalId?: components["parameters"]["ExternalId"];
                /** @description `all` includes archived records; `true` returns only archived ones. */
                archived?: components["parameters"]["Archived"];
                sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "label" | "-label";
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
                /** @description Only records of this project. */
                projectId?: components["parameters"]["ProjectId"];
                /** @description Only records of this tour. */
                tourId?: components["parameters"]["TourId"];
                /** @description Only tags of the location with this key. Example: `AT10-UTL-CW`. */
                location?: string | null;
                /** @description Only tags of the asset with this key. Example: `10004711`. */
                asset?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    createTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTagDto"];
            };
        };
        responses: {
            /** @description The tag existed and was updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagResponse"];
                };
            };
            /** @description The tag was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ProjectsConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TagsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    createTags: {
        parameters: {
            query?: {
                /** @description `continue` stores the valid items and returns 207. `stop` stores nothing if an item is invalid. */
                onError?: components["parameters"]["CreateOnError"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagsBulkDto"];
            };
        };
        responses: {
            200: components["responses"]["BulkCreatedResponse"];
            201: components["responses"]["CreateBulkCreatedResponse"];
            207: components["responses"]["MultiStatusBulkCreatedResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TagsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    getTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["TagsId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    archiveTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["TagsId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TagResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    changeTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["TagsId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTagDto"];
            };
        };
        responses: {
            200: components["responses"]["TagResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ChangeProjectConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            /** @description Invalid content, listed in the details. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeTagInvalidError"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    restoreTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["TagsId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TagResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ProjectsConflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listNotes: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description One, or several separated by commas. Example: `open,in_progress`. */
                status?: components["parameters"]["Status"];
                /** @description One, or several separated by commas. Example: `high`. */
                priority?: components["parameters"]["Priority"];
                /** @description One, or several separated by commas. Example: `maria.huber@example.com`. */
                assignee?: components["parameters"]["Assignee"];
                /** @description One, or several separated by commas. Example: `j.novak@example.com`. */
                reporter?: components["parameters"]["Reporter"];
                projectId?: components["parameters"]["ListProjectId"];
                /** @description Example: `42`. */
                tagId?: components["parameters"]["TagId"];
                tourId?: components["parameters"]["ListTourId"];
                /** @description Key of a location: only its notes. */
                location?: components["parameters"]["ListLocation"];
                /** @description Key of a location: only notes of its subtree. */
                under?: components["parameters"]["ListUnder"];
                /** @description The table of `location` or `under`, by ID or name; by default all location tables. */
                locationKey?: components["parameters"]["ListLocationKey"];
                /** @description Key of an asset: only its notes. */
                asset?: components["parameters"]["Asset"];
                /** @description The table of `asset`, by ID or name; by default all asset tables. */
                assetKey?: components["parameters"]["AssetKey"];
                /** @description Due at or after. Example: `2026-12-01T08:00:00Z`. */
                dueFrom?: components["parameters"]["DueFrom"];
                /** @description Due before. Example: `2026-12-01T08:00:00Z`. */
                dueTo?: components["parameters"]["DueTo"];
                /** @description Changed at or after. Example: `2026-12-01T08:00:00Z`. */
                updatedFrom?: components["parameters"]["UpdatedFrom"];
                /** @description Changed before. Example: `2026-12-01T08:00:00Z`. */
                updatedTo?: components["parameters"]["UpdatedTo"];
                source?: components["parameters"]["Source"];
                /** @description ID of the note in the caller's system. */
                externalId?: components["parameters"]["ListExternalId"];
                /** @description The note with this number in its workspace. Example: `12`. */
                number?: components["parameters"]["Number"];
                /** @description Prefixes of words in title or description, all of which must match; or `#` and the number of a note. */
                q?: components["parameters"]["ListQ"];
                /** @description `true`: only archived notes; `all`: archived notes too. */
                archived?: components["parameters"]["ListArchived"];
                /** @description Notes without a due date are last when sorted by it. */
                sort?: components["parameters"]["ListSort"];
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
                /** @description Limits the list to one workspace. Required with `location`, `under` and `asset` if the caller has several. */
                workspaceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NotePageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ListNotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    saveNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveNoteDto"];
                "multipart/form-data": components["schemas"]["SaveNoteFormDto"];
            };
        };
        responses: {
            200: components["responses"]["OKNoteResponse"];
            201: components["responses"]["CreatedNoteResponse"];
            400: components["responses"]["BadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["NotesConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["NotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["NotesUnavailableFiles"];
        };
    };
    addNoteMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveMessageDto"];
                "multipart/form-data": components["schemas"]["SaveMessageFormDto"];
            };
        };
        responses: {
            201: components["responses"]["NoteMessageResponse"];
            400: components["responses"]["BadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["NotesConflict"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["NotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableFiles"];
        };
    };
    readNoteFeed: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Required if the caller has access to several workspaces. */
                workspaceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteEventPageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    getNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    archiveNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    changeNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeNoteDto"];
                "multipart/form-data": components["schemas"]["ChangeNoteFormDto"];
            };
        };
        responses: {
            200: components["responses"]["OKNoteResponse"];
            400: components["responses"]["BadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ChangeNoteConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["ListNotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableFiles"];
        };
    };
    restoreNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listNoteMessages: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteMessagePageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listNoteEvents: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteEventPageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listWorkspaceNotes: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description One, or several separated by commas. Example: `open,in_progress`. */
                status?: components["parameters"]["Status"];
                /** @description One, or several separated by commas. Example: `high`. */
                priority?: components["parameters"]["Priority"];
                /** @description One, or several separated by commas. Example: `maria.huber@example.com`. */
                assignee?: components["parameters"]["Assignee"];
                /** @description One, or several separated by commas. Example: `j.novak@example.com`. */
                reporter?: components["parameters"]["Reporter"];
                projectId?: components["parameters"]["ListProjectId"];
                /** @description Example: `42`. */
                tagId?: components["parameters"]["TagId"];
                tourId?: components["parameters"]["ListTourId"];
                /** @description Key of a location: only its notes. */
                location?: components["parameters"]["ListLocation"];
                /** @description Key of a location: only notes of its subtree. */
                under?: components["parameters"]["ListUnder"];
                /** @description The table of `location` or `under`, by ID or name; by default all location tables. */
                locationKey?: components["parameters"]["ListLocationKey"];
                /** @description Key of an asset: only its notes. */
                asset?: components["parameters"]["Asset"];
                /** @description The table of `asset`, by ID or name; by default all asset tables. */
                assetKey?: components["parameters"]["AssetKey"];
                /** @description Due at or after. Example: `2026-12-01T08:00:00Z`. */
                dueFrom?: components["parameters"]["DueFrom"];
                /** @description Due before. Example: `2026-12-01T08:00:00Z`. */
                dueTo?: components["parameters"]["DueTo"];
                /** @description Changed at or after. Example: `2026-12-01T08:00:00Z`. */
                updatedFrom?: components["parameters"]["UpdatedFrom"];
                /** @description Changed before. Example: `2026-12-01T08:00:00Z`. */
                updatedTo?: components["parameters"]["UpdatedTo"];
                source?: components["parameters"]["Source"];
                /** @description ID of the note in the caller's system. */
                externalId?: components["parameters"]["ListExternalId"];
                /** @description The note with this number in its workspace. Example: `12`. */
                number?: components["parameters"]["Number"];
                /** @description Prefixes of words in title or description, all of which must match; or `#` and the number of a note. */
                q?: components["parameters"]["ListQ"];
                /** @description `true`: only archived notes; `all`: archived notes too. */
                archived?: components["parameters"]["ListArchived"];
                /** @description Notes without a due date are last when sorted by it. */
                sort?: components["parameters"]["ListSort"];
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
            };
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NotePageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ListNotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    createWorkspaceNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceNoteDto"];
                "multipart/form-data": components["schemas"]["WorkspaceNoteFormDto"];
            };
        };
        responses: {
            200: components["responses"]["OKNoteResponse"];
            201: components["responses"]["CreatedNoteResponse"];
            400: components["responses"]["BadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["NotesConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["NotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["NotesUnavailableFiles"];
        };
    };
    readWorkspaceNoteFeed: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteEventPageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listWorkspaceNoteMessages: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteMessagePageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    addWorkspaceNoteMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceMessageDto"];
                "multipart/form-data": components["schemas"]["WorkspaceMessageFormDto"];
            };
        };
        responses: {
            201: components["responses"]["NoteMessageResponse"];
            400: components["responses"]["BadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["NotesConflict"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["NotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableFiles"];
        };
    };
    getWorkspaceNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    archiveWorkspaceNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    changeWorkspaceNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeNoteDto"];
                "multipart/form-data": components["schemas"]["ChangeNoteFormDto"];
            };
        };
        responses: {
            200: components["responses"]["OKNoteResponse"];
            400: components["responses"]["BadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ChangeNoteConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["ListNotesInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableFiles"];
        };
    };
    restoreWorkspaceNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listWorkspaceNoteEvents: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteEventPageResponse"];
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listNoteStatuses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NoteStatusesResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    replaceNoteStatuses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: components["parameters"]["PathWorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteStatusesDto"];
            };
        };
        responses: {
            200: components["responses"]["NoteStatusesResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    savePublicNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublicNoteDto"];
                "multipart/form-data": components["schemas"]["PublicNoteFormDto"];
            };
        };
        responses: {
            /** @description The note was updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicNoteViewResponse"];
                };
            };
            /** @description The note was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicNoteViewResponse"];
                };
            };
            400: components["responses"]["BadRequestFiles"];
            403: components["responses"]["PublicNotesForbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["NotesConflict"];
            413: components["responses"]["PublicNotesTooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["NotesInvalid"];
            429: components["responses"]["PublicNotesRateLimited"];
            503: components["responses"]["NotesUnavailableFiles"];
        };
    };
    addPublicNoteMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveMessageDto"];
                "multipart/form-data": components["schemas"]["SaveMessageFormDto"];
            };
        };
        responses: {
            /** @description The message was added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicMessageViewResponse"];
                };
            };
            400: components["responses"]["BadRequestFiles"];
            403: components["responses"]["PublicNotesForbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["NotesConflict"];
            413: components["responses"]["PublicNotesTooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["NotesInvalid"];
            429: components["responses"]["PublicNotesRateLimited"];
            503: components["responses"]["UnavailableFiles"];
        };
    };
    downloadAttachment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Example: `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                "If-None-Match"?: components["parameters"]["AttachmentsIfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK"];
            206: components["responses"]["PartialContent"];
            304: components["responses"]["AttachmentsNotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AttachmentsForbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["AttachmentsUnavailable"];
        };
    };
    downloadThumbnail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Example: `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                "If-None-Match"?: components["parameters"]["AttachmentsIfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK"];
            206: components["responses"]["PartialContent"];
            304: components["responses"]["AttachmentsNotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AttachmentsForbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["AttachmentsUnavailable"];
        };
    };
    downloadPublicAttachment: {
        parameters: {
            query: {
                /** @description Expiry of the URL, in seconds since the Unix epoch. */
                expires: components["parameters"]["Expires"];
                signature: components["parameters"]["Signature"];
            };
            header?: {
                /** @description Example: `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                "If-None-Match"?: components["parameters"]["AttachmentsIfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK"];
            206: components["responses"]["PartialContent"];
            304: components["responses"]["AttachmentsNotModified"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["DownloadPublicAttachmentForbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["AttachmentsUnavailable"];
        };
    };
    downloadPublicThumbnail: {
        parameters: {
            query: {
                /** @description Expiry of the URL, in seconds since the Unix epoch. */
                expires: components["parameters"]["Expires"];
                signature: components["parameters"]["Signature"];
            };
            header?: {
                /** @description Example: `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                "If-None-Match"?: components["parameters"]["AttachmentsIfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK"];
            206: components["responses"]["PartialContent"];
            304: components["responses"]["AttachmentsNotModified"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["DownloadPublicAttachmentForbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["AttachmentsUnavailable"];
        };
    };
    listVirtualStagings: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only records of this workspace. */
                workspaceId?: components["parameters"]["ListWorkspaceId"];
                /** @description Only records whose roomType or style contains this text, ignoring letter case. */
                q?: string;
                /** @description Only the record with this external ID. */
                externalId?: components["parameters"]["ExternalId"];
                /** @description `all` includes archived records; `true` returns only archived ones. */
                archived?: components["parameters"]["Archived"];
                sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt";
                /** @description Fields of the records to return, separated by commas. By default all. Example: `id,updatedAt`. */
                fields?: components["parameters"]["Fields"];
                /** @description Only records of this project. */
                projectId?: components["parameters"]["ProjectId"];
                /** @description Only records of this tour. */
                tourId?: components["parameters"]["TourId"];
                /** @description One or several, separated by commas. Example: `queued,processing`. */
                status?: ("queued" | "processing" | "succeeded" | "failed" | "cancelled")[];
                /** @description One or several, separated by commas. Example: `stage,declutter`. */
                type?: ("stage" | "declutter" | "enhance")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StagingPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStagingDto"];
                "multipart/form-data": components["schemas"]["CreateStagingFormDto"];
            };
        };
        responses: {
            /** @description The virtual staging existed and was updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StagingResponse"];
                };
            };
            /** @description The virtual staging was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StagingResponse"];
                };
            };
            400: components["responses"]["VirtualStagingBadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["VirtualStagingConflict"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["VirtualStagingInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["VirtualStagingUnavailableFiles"];
        };
    };
    getVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StagingResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeStagingDto"];
            };
        };
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            /** @description It conflicts with stored data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeVirtualStagingConflictError"];
                };
            };
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["VirtualStagingConflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["VirtualStagingConflict"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    claimVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimStagingDto"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StagingClaimResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    renewVirtualStagingClaim: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `claimToken` of the claim, unless the body contains it. */
                "X-Claim-Token"?: components["parameters"]["XClaimToken"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeartbeatDto"];
            };
        };
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["VirtualStagingConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    addVirtualStagingVariations: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `claimToken` of the claim, unless the body contains it. */
                "X-Claim-Token"?: components["parameters"]["XClaimToken"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddVariationsDto"];
                "multipart/form-data": components["schemas"]["AddVariationsFormDto"];
            };
        };
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["VirtualStagingBadRequestFiles"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["VirtualStagingConflict"];
            413: components["responses"]["TooLargeFiles"];
            415: components["responses"]["UnsupportedTypeFiles"];
            422: components["responses"]["VirtualStagingInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["VirtualStagingUnavailableFiles"];
        };
    };
    completeVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `claimToken` of the claim, unless the body contains it. */
                "X-Claim-Token"?: components["parameters"]["XClaimToken"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimTokenDto"];
            };
        };
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["VirtualStagingConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["VirtualStagingInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    failVirtualStaging: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `claimToken` of the claim, unless the body contains it. */
                "X-Claim-Token"?: components["parameters"]["XClaimToken"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FailStagingDto"];
            };
        };
        responses: {
            200: components["responses"]["StagingResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["VirtualStagingConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAnalyticsOverview: {
        parameters: {
            query?: {
                /** @description Required if the caller is a member of several workspaces. */
                workspaceId?: components["parameters"]["AnalyticsWorkspaceId"];
                /** @description Only records of this project. */
                projectId?: components["parameters"]["AnalyticsProjectId"];
                /** @description Key of a location: only records of it and of its subtree. */
                location?: components["parameters"]["Location"];
                /** @description ID or name of the location table. By default all tables that contain the key. */
                locationKey?: components["parameters"]["LocationKey"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverviewResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["AnalyticsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    getNoteAnalytics: {
        parameters: {
            query?: {
                /** @description Required if the caller is a member of several workspaces. */
                workspaceId?: components["parameters"]["AnalyticsWorkspaceId"];
                /** @description Only records of this project. */
                projectId?: components["parameters"]["AnalyticsProjectId"];
                /** @description Key of a location: only records of it and of its subtree. */
                location?: components["parameters"]["Location"];
                /** @description ID or name of the location table. By default all tables that contain the key. */
                locationKey?: components["parameters"]["LocationKey"];
                /** @description The first day. By default 30 days before `to`. Example: `2026-03-01`. */
                from?: components["parameters"]["From"];
                /** @description The day after the last day. By default tomorrow. Example: `2026-04-01`. */
                to?: components["parameters"]["To"];
                /** @description Weeks begin on Monday. `from` and `to` may shorten the first and the last bucket. At most 1,000 buckets. */
                granularity?: components["parameters"]["Granularity"];
                /** @description IANA name of the timezone of the days. By default that of the workspace. Example: `Europe/Vienna`. */
                timezone?: components["parameters"]["Timezone"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteAnalyticsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["AnalyticsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    getTourAnalytics: {
        parameters: {
            query?: {
                /** @description Required if the caller is a member of several workspaces. */
                workspaceId?: components["parameters"]["AnalyticsWorkspaceId"];
                /** @description Only records of this project. */
                projectId?: components["parameters"]["AnalyticsProjectId"];
                /** @description Key of a location: only records of it and of its subtree. */
                location?: components["parameters"]["Location"];
                /** @description ID or name of the location table. By default all tables that contain the key. */
                locationKey?: components["parameters"]["LocationKey"];
                /** @description The first day. By default 30 days before `to`. Example: `2026-03-01`. */
                from?: components["parameters"]["From"];
                /** @description The day after the last day. By default tomorrow. Example: `2026-04-01`. */
                to?: components["parameters"]["To"];
                /** @description Weeks begin on Monday. `from` and `to` may shorten the first and the last bucket. At most 1,000 buckets. */
                granularity?: components["parameters"]["Granularity"];
                /** @description IANA name of the timezone of the days. By default that of the workspace. Example: `Europe/Vienna`. */
                timezone?: components["parameters"]["Timezone"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TourAnalyticsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["AnalyticsInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    getTableAnalytics: {
        parameters: {
            query?: {
                /** @description Required if the caller is a member of several workspaces. */
                workspaceId?: components["parameters"]["AnalyticsWorkspaceId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableAnalyticsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["WorkspaceNotesUnavailable"];
        };
    };
    listBatches: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    undoBatch: {
        parameters: {
            query?: {
                /** @description `skip` leaves rows in conflict as they are; by default nothing is done, and they are listed. */
                onConflict?: "abort" | "skip";
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoReportResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description It conflicts with stored data. Or: The `Idempotency-Key` is in use. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesBatchesConflictRowError"];
                };
            };
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    upsertLocations: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description `items` adds a result per row, in the order sent. */
                return?: components["parameters"]["Return"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkLocationsDto"];
            };
        };
        responses: {
            200: components["responses"]["UpsertReportResponse"];
            201: components["responses"]["TablesPushUpsertReportResponse"];
            207: components["responses"]["UpsertUpsertReportResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRow"];
            413: components["responses"]["TablesTooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["InvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    upsertAssets: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description `items` adds a result per row, in the order sent. */
                return?: components["parameters"]["Return"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkAssetsDto"];
            };
        };
        responses: {
            200: components["responses"]["UpsertReportResponse"];
            201: components["responses"]["TablesPushUpsertReportResponse"];
            207: components["responses"]["UpsertUpsertReportResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRow"];
            413: components["responses"]["TablesTooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["InvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    upsertLists: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description `items` adds a result per row, in the order sent. */
                return?: components["parameters"]["Return"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkListsDto"];
            };
        };
        responses: {
            200: components["responses"]["UpsertReportResponse"];
            201: components["responses"]["TablesPushUpsertReportResponse"];
            207: components["responses"]["UpsertUpsertReportResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRow"];
            413: components["responses"]["TablesTooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["InvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    upsertTables: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description `items` adds a result per row, in the order sent. */
                return?: components["parameters"]["Return"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkTablesDto"];
            };
        };
        responses: {
            200: components["responses"]["UpsertReportResponse"];
            201: components["responses"]["TablesPushUpsertReportResponse"];
            207: components["responses"]["UpsertUpsertReportResponse"];
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRow"];
            413: components["responses"]["TablesTooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["InvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    deleteRows: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description `items` adds a result per row, in the order sent. */
                return?: components["parameters"]["Return"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteRowsDto"];
            };
        };
        responses: {
            /** @description The rows were deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReportResponse"];
                };
            };
            /** @description With `onError=continue`: the rows of the valid keys were deleted. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReportResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            /** @description A limit is exceeded; the details contain limit and actual value. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesPushTooLargeError"];
                };
            };
            415: components["responses"]["UnsupportedType"];
            /** @description Invalid content, listed in the details. Or: The `Idempotency-Key` was used differently. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesPushInvalidRowError"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    importRows: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description Which of several rows with one key is stored. `error`: none. */
                onDuplicate?: components["parameters"]["OnDuplicate"];
                unknownColumns?: components["parameters"]["UnknownColumns"];
                /** @description `true` removes outer white space. */
                trim?: components["parameters"]["Trim"];
                decimal?: components["parameters"]["Decimal"];
                thousands?: components["parameters"]["Thousands"];
                /** @description Around cells of CSV: a character, or `none`. */
                quote?: components["parameters"]["Quote"];
                /** @description Line of the CSV header. Lines before it are skipped. */
                headerLine?: components["parameters"]["HeaderLine"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
                /** @description `replace` also deletes the rows that the file lacks, within `under` and `filter`. */
                mode?: components["parameters"]["Mode"];
                /** @description More deletions are rejected: a number, or a percentage of the rows. */
                maxDeletions?: components["parameters"]["MaxDeletions"];
                /** @description A new ID, to query and cancel the import while it is in progress. */
                importId?: components["parameters"]["ImportId"];
                /** @description Columns by names in the file: `EQUNR:equnr,EQKTX:name`. */
                columns?: components["parameters"]["Columns"];
                /** @description In addition to ISO dates: `DD.MM.YYYY,M/D/YYYY`. */
                dateFormat?: components["parameters"]["DateFormat"];
                /** @description Texts that mean null: `00000000,n/a`. */
                nullValues?: components["parameters"]["NullValues"];
                /** @description Between cells of CSV: a character or `tab`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Such as `windows-1252`. */
                charset?: components["parameters"]["Charset"];
            };
            header?: {
                "Content-Encoding"?: "gzip" | "identity";
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
                "text/csv": string;
            };
        };
        responses: {
            200: components["responses"]["ImportReportResponse"];
            207: components["responses"]["TablesImportsImportReportResponse"];
            400: components["responses"]["TablesImportsBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["TablesConflict"];
            413: components["responses"]["TablesImportsTooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesImportsInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesImportsUnavailable"];
        };
    };
    importTables: {
        parameters: {
            query?: {
                /** @description `abort` stores all or nothing; `continue` stores the valid rows and returns 207 with the errors of the others. */
                onError?: components["parameters"]["OnError"];
                /** @description `true` does everything, returns the report, and stores nothing. */
                dryRun?: components["parameters"]["DryRun"];
                /** @description Which of several rows with one key is stored. `error`: none. */
                onDuplicate?: components["parameters"]["OnDuplicate"];
                unknownColumns?: components["parameters"]["UnknownColumns"];
                /** @description `true` removes outer white space. */
                trim?: components["parameters"]["Trim"];
                decimal?: components["parameters"]["Decimal"];
                thousands?: components["parameters"]["Thousands"];
                /** @description Around cells of CSV: a character, or `none`. */
                quote?: components["parameters"]["Quote"];
                /** @description Line of the CSV header. Lines before it are skipped. */
                headerLine?: components["parameters"]["HeaderLine"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
                /** @description `replace` also deletes the rows that the file lacks, within `under` and `filter`. */
                mode?: components["parameters"]["Mode"];
                /** @description More deletions are rejected: a number, or a percentage of the rows. */
                maxDeletions?: components["parameters"]["MaxDeletions"];
                /** @description A new ID, to query and cancel the import while it is in progress. */
                importId?: components["parameters"]["ImportId"];
                /** @description Columns by names in the file: `EQUNR:equnr,EQKTX:name`. */
                columns?: components["parameters"]["Columns"];
                /** @description In addition to ISO dates: `DD.MM.YYYY,M/D/YYYY`. */
                dateFormat?: components["parameters"]["DateFormat"];
                /** @description Texts that mean null: `00000000,n/a`. */
                nullValues?: components["parameters"]["NullValues"];
                /** @description Between cells of CSV: a character or `tab`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Such as `windows-1252`. */
                charset?: components["parameters"]["Charset"];
            };
            header?: {
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "locations/Example Locations": "{\"tplnr\":\"EX10\",\"name\":\"Example works\",\"parent\":null}\n{\"tplnr\":\"EX10-UTL\",\"name\":\"Utilities\",\"parent\":\"EX10\"}\n",
                 *       "assets/Example Assets": "equnr,name,weight,location\nEX-2001,Feed pump,180.5,EX10-UTL\nEX-2002,Standby pump,175,EX10-UTL\n"
                 *     }
                 */
                "multipart/form-data": {
                    [key: string]: string;
                };
            };
        };
        responses: {
            200: components["responses"]["ImportReportResponse"];
            /** @description The same, and tables were created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReportResponse"];
                };
            };
            207: components["responses"]["TablesImportsImportReportResponse"];
            400: components["responses"]["TablesImportsBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["TablesConflict"];
            413: components["responses"]["TablesImportsTooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesImportsInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesImportsUnavailable"];
        };
    };
    compareRows: {
        parameters: {
            query?: {
                /** @description Which of several rows with one key is stored. `error`: none. */
                onDuplicate?: components["parameters"]["OnDuplicate"];
                unknownColumns?: components["parameters"]["UnknownColumns"];
                /** @description `true` removes outer white space. */
                trim?: components["parameters"]["Trim"];
                decimal?: components["parameters"]["Decimal"];
                thousands?: components["parameters"]["Thousands"];
                /** @description Around cells of CSV: a character, or `none`. */
                quote?: components["parameters"]["Quote"];
                /** @description Line of the CSV header. Lines before it are skipped. */
                headerLine?: components["parameters"]["HeaderLine"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
                /** @description Columns by names in the file: `EQUNR:equnr,EQKTX:name`. */
                columns?: components["parameters"]["Columns"];
                /** @description In addition to ISO dates: `DD.MM.YYYY,M/D/YYYY`. */
                dateFormat?: components["parameters"]["DateFormat"];
                /** @description Texts that mean null: `00000000,n/a`. */
                nullValues?: components["parameters"]["NullValues"];
                /** @description Between cells of CSV: a character or `tab`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Such as `windows-1252`. */
                charset?: components["parameters"]["Charset"];
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
                "text/csv": string;
            };
        };
        responses: {
            /** @description All differences. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {"change":"update","key":"EX-2001","columns":{"weight":{"from":180.5,"to":181}}}
                     *     {"summary":{"create":0,"update":1,"delete":0,"unchanged":1,"error":0}}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["TablesImportsBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            413: components["responses"]["TablesImportsTooLarge"];
            415: components["responses"]["UnsupportedType"];
            /** @description Invalid content, listed in the details. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesInvalidError"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesImportsUnavailable"];
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of imports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ImportResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ImportResponse"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description It conflicts with stored data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesImportsConflictError"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    downloadImportErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All errors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"table":"Assets","line":5,"key":"1","column":"weight","code":"type_mismatch","sent":"1,x"} */
                    "application/x-ndjson": string;
                    /** @example type,table,index,line,key,column,code,message,sent */
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    readLocations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on the page. */
                limit?: components["parameters"]["TablesReadLimit"];
                /** @description `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
                cursor?: components["parameters"]["TablesReadCursor"];
                /**
                 * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
                 *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
                 *     column.
                 */
                sort?: components["parameters"]["Sort"];
                /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
                q?: components["parameters"]["Q"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /** @description Reference columns, separated by commas; `expanded` contains the titles of the rows that they refer to. */
                expand?: components["parameters"]["Expand"];
                /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
                fields?: components["parameters"]["TablesReadFields"];
                /** @description Adds `total`: the exact number of rows, or the estimate of the query planner. */
                count?: components["parameters"]["Count"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["PathTable"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemsPageResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    readAssets: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on the page. */
                limit?: components["parameters"]["TablesReadLimit"];
                /** @description `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
                cursor?: components["parameters"]["TablesReadCursor"];
                /**
                 * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
                 *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
                 *     column.
                 */
                sort?: components["parameters"]["Sort"];
                /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
                q?: components["parameters"]["Q"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /** @description Reference columns, separated by commas; `expanded` contains the titles of the rows that they refer to. */
                expand?: components["parameters"]["Expand"];
                /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
                fields?: components["parameters"]["TablesReadFields"];
                /** @description Adds `total`: the exact number of rows, or the estimate of the query planner. */
                count?: components["parameters"]["Count"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemsPageResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    readLists: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on the page. */
                limit?: components["parameters"]["TablesReadLimit"];
                /** @description `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
                cursor?: components["parameters"]["TablesReadCursor"];
                /**
                 * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
                 *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
                 *     column.
                 */
                sort?: components["parameters"]["Sort"];
                /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
                q?: components["parameters"]["Q"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /** @description Reference columns, separated by commas; `expanded` contains the titles of the rows that they refer to. */
                expand?: components["parameters"]["Expand"];
                /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
                fields?: components["parameters"]["TablesReadFields"];
                /** @description Adds `total`: the exact number of rows, or the estimate of the query planner. */
                count?: components["parameters"]["Count"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemsPageResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    queryRows: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemsBodyDto"];
            };
        };
        responses: {
            /** @description A page of rows. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemsPageResponse"];
                };
            };
            /** @description Malformed, or an unknown field or parameter. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesReadBadRequestBodyError"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    exportRows: {
        parameters: {
            query?: {
                /**
                 * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
                 *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
                 *     column.
                 */
                sort?: components["parameters"]["Sort"];
                /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
                q?: components["parameters"]["Q"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
                fields?: components["parameters"]["TablesReadFields"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {"equnr":"EX-2001","name":"Feed pump","weight":180.5,"location":"EX10-UTL"}
                     *     {"equnr":"EX-2002","name":"Standby pump","weight":175,"location":"EX10-UTL"}
                     */
                    "application/x-ndjson": string;
                    /**
                     * @example equnr,name,weight,location
                     *     EX-2001,Feed pump,180.5,EX10-UTL
                     *     EX-2002,Standby pump,175,EX10-UTL
                     */
                    "text/csv": string;
                };
            };
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            /** @description Overloaded or unavailable. Retry after `Retry-After` seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesReadUnavailableError"];
                };
            };
        };
    };
    listChildRows: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on the page. */
                limit?: components["parameters"]["TablesReadLimit"];
                /** @description `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
                cursor?: components["parameters"]["TablesReadCursor"];
                /**
                 * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
                 *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
                 *     column.
                 */
                sort?: components["parameters"]["Sort"];
                /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
                q?: components["parameters"]["Q"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /** @description Reference columns, separated by commas; `expanded` contains the titles of the rows that they refer to. */
                expand?: components["parameters"]["Expand"];
                /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
                fields?: components["parameters"]["TablesReadFields"];
                /** @description Adds `total`: the exact number of rows, or the estimate of the query planner. */
                count?: components["parameters"]["Count"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
            };
            header?: never;
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: components["parameters"]["PathKey"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["PathEntity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["PathTable"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TablesReadItemsPageResponse"];
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    listChildRowsByKey: {
        parameters: {
            query: {
                /** @description Maximum number of rows on the page. */
                limit?: components["parameters"]["TablesReadLimit"];
                /** @description `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
                cursor?: components["parameters"]["TablesReadCursor"];
                /**
                 * @description Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty values are last.
                 *     Texts are compared byte by byte, by their first 256 characters. Equal rows are ordered by key, in the direction of the last
                 *     column.
                 */
                sort?: components["parameters"]["Sort"];
                /** @description Only rows with this text in any text column, in any letter case. Reads the whole table. */
                q?: components["parameters"]["Q"];
                /** @description Only the row with this key and its subtree, by the first `hierarchyParent` column. */
                under?: components["parameters"]["Under"];
                /** @description With `under`: the maximum number of levels below the row; 0 is only the row itself. */
                depth?: components["parameters"]["Depth"];
                /** @description Reference columns, separated by commas; `expanded` contains the titles of the rows that they refer to. */
                expand?: components["parameters"]["Expand"];
                /** @description Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all. */
                fields?: components["parameters"]["TablesReadFields"];
                /** @description Adds `total`: the exact number of rows, or the estimate of the query planner. */
                count?: components["parameters"]["Count"];
                /**
                 * @description Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A value
                 *     without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (a list, or values separated by commas),
                 *     `contains` (in any letter case), `null` (`true` or `false`). An empty value equals only an empty value. Example: `{"weight":{"gte":100},"name":{"contains":"pump"}}`.
                 */
                filter?: components["parameters"]["Filter"];
                /** @description The primary key of the parent row. */
                key: string;
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["PathEntity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["PathTable"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TablesReadItemsPageResponse"];
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    listUnresolvedReferences: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only references of this column. */
                column?: string;
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnresolvedPageResponse"];
                };
            };
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    listRowChanges: {
        parameters: {
            query: {
                /** @description The revision that the caller has: the `ETag` of an export, or the `revision` of the last page; 0 returns all rows. */
                since: number;
                /** @description Maximum number of changes on the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangesPageResponse"];
                };
            };
            400: components["responses"]["TablesBadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The resource existed and was removed. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesGoneError"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getRow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: components["parameters"]["Key"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    putRow: {
        parameters: {
            query?: never;
            header?: {
                /** @description `*`: only if the row does not exist yet, else 412. */
                "If-None-Match"?: components["parameters"]["TablesSingleRowsIfNoneMatch"];
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: components["parameters"]["Key"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        /** @description Values by column key or name. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: components["responses"]["WrittenItemResponse"];
            201: components["responses"]["TablesSingleRowsWrittenItemResponse"];
            400: components["responses"]["TablesBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    deleteRow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: components["parameters"]["Key"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeletedItemResponse"];
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    patchRow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: components["parameters"]["Key"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        /** @description Values by column key or name. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: components["responses"]["WrittenItemResponse"];
            400: components["responses"]["TablesBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getRowByKey: {
        parameters: {
            query: {
                /** @description The row's primary key. */
                key: components["parameters"]["TablesSingleRowsKey"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    putRowByKey: {
        parameters: {
            query: {
                /** @description The row's primary key. */
                key: components["parameters"]["TablesSingleRowsKey"];
            };
            header?: {
                /** @description `*`: only if the row does not exist yet, else 412. */
                "If-None-Match"?: components["parameters"]["TablesSingleRowsIfNoneMatch"];
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        /** @description Values by column key or name. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: components["responses"]["WrittenItemResponse"];
            201: components["responses"]["TablesSingleRowsWrittenItemResponse"];
            400: components["responses"]["TablesBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    deleteRowByKey: {
        parameters: {
            query: {
                /** @description The row's primary key. */
                key: components["parameters"]["TablesSingleRowsKey"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeletedItemResponse"];
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    patchRowByKey: {
        parameters: {
            query: {
                /** @description The row's primary key. */
                key: components["parameters"]["TablesSingleRowsKey"];
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        /** @description Values by column key or name. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: components["responses"]["WrittenItemResponse"];
            400: components["responses"]["TablesBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getRowPath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: components["parameters"]["PathKey"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["PathEntity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["PathTable"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemPathResponse"];
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getRowPathByKey: {
        parameters: {
            query: {
                /** @description The row's primary key. */
                key: string;
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["PathEntity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["PathTable"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ItemPathResponse"];
            400: components["responses"]["TablesBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    renameRow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The row's primary key, percent-encoded. */
                key: string;
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameDto"];
            };
        };
        responses: {
            200: components["responses"]["RenamedResponse"];
            400: components["responses"]["TablesBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["TablesConflictRow"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesSingleRowsInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    renameRowByKey: {
        parameters: {
            query: {
                /** @description The row's primary key. */
                key: string;
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameDto"];
            };
        };
        responses: {
            200: components["responses"]["RenamedResponse"];
            400: components["responses"]["TablesBadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["TablesConflictRow"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["TablesSingleRowsInvalidRow"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    listTables: {
        parameters: {
            query?: {
                /** @description Number of records on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Text that the name contains, in any letter case. */
                q?: string;
            };
            header?: never;
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tables. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablesPageResponse"];
                };
            };
            400: components["responses"]["BadRequestPage"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    getTable: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has. If it is current, the response is 304. Example: `"7-Zk3v9QpLx0"`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table with its columns. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    editTable: {
        parameters: {
            query?: {
                /** @description The present name or the ID of the table that is renamed. */
                confirm?: string;
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditTableDto"];
            };
        };
        responses: {
            /** @description The edited table. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableResponse"];
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["Timeout"];
            /** @description It conflicts with stored data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConflictTableError"];
                };
            };
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedType"];
            422: components["responses"]["InvalidTable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    dropTable: {
        parameters: {
            query: {
                /** @description The name or ID of the table. */
                confirm: string;
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table was dropped. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmptyResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    dropColumn: {
        parameters: {
            query: {
                /** @description The key of the column. */
                confirm: string;
            };
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The key of the column, in any letter case. */
                key: string;
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table without the column. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["InvalidTable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    createIndex: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The keys of 2 to 4 columns, separated by commas. The primary key follows in every index; omit it. */
                columns: components["parameters"]["TablesAdministrationColumns"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index exists. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableResponse"];
                };
            };
            /** @description The index was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            422: components["responses"]["InvalidTable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    dropIndex: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the record that the caller has, or only its version in quotes. If the record has another version or does not exist, the response is 412. Example: `"7"`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The keys of 2 to 4 columns, separated by commas. The primary key follows in every index; omit it. */
                columns: components["parameters"]["TablesAdministrationColumns"];
                /** @description One of the caller's workspaces. */
                workspaceId: components["parameters"]["WorkspaceId"];
                /** @description The table's entity. */
                entity: components["parameters"]["Entity"];
                /** @description The table's ID, or its percent-encoded name in any letter case. */
                table: components["parameters"]["Table"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table without the index. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["VersionMismatch"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["TablesUnavailable"];
        };
    };
    receivePing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"];
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveImportEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["ImportEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveMemberEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["MemberEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveNoteEventData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["NoteEventDataDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveNoteMessageCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["NoteMessageCreatedDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveNoteUpdated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["NoteUpdatedDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveProjectEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["ProjectEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTableEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["TableEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTableRowsChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["TableRowsChangedDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTagEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["TagEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTourEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["TourEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveVirtualStagingEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventDto"] & {
                    data?: components["schemas"]["VirtualStagingEventDto"];
                };
            };
        };
        responses: {
            /** @description OK */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
type WithRequired<T, K extends keyof T> = T & {
    [P in K]-?: T[P];
};
