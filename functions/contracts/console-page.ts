/** How the web console is served, on a machine and by CloudFront alike: headers of its page, and the settings it finds next to it. */

/** `console.json` next to the page: how one signs in. Nothing in it is secret. */
export type ConsoleSettings =
  /** A one-time code in the address opens a session of the server (`local/console/`). */
  | {
      readonly signIn: 'session';
      /** That of the command line which leads to this installation: commands that pages show name it. */
      readonly context?: string;
    }
  /** Authorization code with PKCE; the browser has the token, in memory. */
  | {
      readonly signIn: 'oidc';
      readonly issuer: string;
      readonly clientId: string;
      /** Separated by spaces, `openid` among them. */
      readonly scope: string;
      /** Which of the issuer's tokens the API is shown. */
      readonly token: 'access' | 'id';
    };

export const settingsFile = 'console.json';

/** What the page may do: no script, style or connection but its own and those to `connectTo` (origins), no markup from strings, no frame around it. */
const contentSecurityPolicy = (connectTo: readonly string[] = []): string =>
  [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self'", ["connect-src 'self'", ...connectTo].join(' ')],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; ');

/** Those of every answer with a file of the console; nothing of it is for other sites. */
export const pageHeaders = (connectTo: readonly string[] = []): Readonly<Record<string, string>> => ({
  'content-security-policy': contentSecurityPolicy(connectTo),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
});

/** Names of files in `assets/` change with their content; all others are asked for each time. */
export const cacheControl = (name: string): string =>
  name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
