/** Addresses of repositories and archives: what is judged is what is asked. */

/** True if a URL of this host and path has the path that is written: no encoded way up, and no `\` that is read as `/`. */
export function isPlainAddress(address: string): boolean {
  if (/[%\\]/.test(address)) return false;
  const [, ...path] = address.split('/');
  try {
    return decodeURI(new URL(`https://${address}`).pathname) === `/${path.join('/')}`;
  } catch {
    return false;
  }
}
