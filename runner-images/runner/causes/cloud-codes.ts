/**
 * Cuts the error codes and the HTTP status of a cloud out of what its Terraform provider prints. Each cloud has a form of its own, named at
 * its expression; the codes come in the order in which they are worth asking about. Pure.
 */

/** One expression a form; its first group is the code. */
const forms: readonly RegExp[] = [
  // AWS, SDK 2: `api error VcpuLimitExceeded: You have …`
  /api error ([A-Za-z][\w.]{1,80}):/g,
  // Azure: `with error: SkuNotAvailable: The requested …`
  /with error: ([A-Za-z]\w{1,80}):/g,
  // Azure, a polled operation: `Status: "VMMarketplaceInvalidInput"`, `Code: "SkuNotAvailable"`, `Code="…"`
  /\b(?:Code|Status|ErrorCode)(?:: |=)"?([A-Za-z][\w.]{1,80})"?/g,
  // Entra: `AADSTS7000215: Invalid client secret provided`
  /\b(AADSTS)\d{4,7}\b/g,
  // Azure, OpenStack, OCI, Verda in JSON: `"code":"SkuNotAvailable"`, `"type": "OverQuota"`, `"reason": "SERVICE_DISABLED"`
  /"(?:code|type|reason|error|errorCode|title)" ?: ?"([A-Za-z][\w.-]{1,80})"/g,
  // OpenStack's compute and network: `{"itemNotFound": {`, `{"NeutronError": {`
  /\{ ?"([A-Za-z]{3,60})" ?: ?\{/g,
  // Google: `googleapi: Error 403: Quota 'CPUS' exceeded., quotaExceeded`
  /googleapi: Error \d{3}: .{0,2000}?, ([a-z][A-Za-z]{3,60})(?:$|[\s"])/g,
  // Google, operations: `ZONE_RESOURCE_POOL_EXHAUSTED`; gRPC: `UNAUTHENTICATED`
  /\b([A-Z]{3,40}(?:_[A-Z]{2,40}){1,8})\b/g,
  /\b(?:status|reason|code) ?[:=] ?"?(UNAUTHENTICATED|UNAVAILABLE|ABORTED|INTERNAL|[A-Z]{3,40}_[A-Z_]{3,80})\b/g,
  // Oracle: `404-NotAuthorizedOrNotFound, Authorization failed …`, `Service error:LimitExceeded.`
  /\b\d{3}-([A-Z][A-Za-z]{2,60}), /g,
  /service error: ?([A-Z][A-Za-z]{2,60})\./gi,
  // Hetzner: `server limit reached (resource_limit_exceeded, 0123abcd)`
  /\(([a-z][a-z_]{2,60})(?:, [0-9a-f]{1,64})?\)/g,
  // OVH: `OVHcloud API error (status code 403): Client::Forbidden::…: "…"`
  /\b((?:Client|Server)::[A-Z][A-Za-z]{2,60}(?:::[A-Z][A-Za-z]{2,60})?)/g,
  // Exoscale: `AttachInstance: http response: invalid request: …`
  /http response: ([A-Za-z][A-Za-z ]{2,40}):/g,
  /": (invalid request|resource not found|bad request)\b/g,
  // Cloudflare: `Authentication error (10000)`, `"code":10000`
  /\((\d{4,6})\)/g,
  /"code" ?: ?(\d{4,6})\b/g,
  // AWS, SDK 1, and others: `creating EC2 Instance: VcpuLimitExceeded: You have …`
  /(?:^|: )([A-Z][A-Za-z]{2,60}(?:\.[A-Z][A-Za-z]{2,60})?): /g,
  // A code in a sentence: two capitals in one word are no English.
  /\b([A-Z][a-z]{1,40}[A-Z][A-Za-z]{1,60}(?:\.[A-Z][A-Za-z]{1,60})?)\b/g,
];

const statuses: readonly RegExp[] = [
  /\bStatusCode: ?(\d{3})\b/,
  /\bunexpected status (\d{3})\b/,
  /googleapi: Error (\d{3})\b/,
  /\bbut got (\d{3})\b/,
  /\b([45]\d\d)-[A-Z][A-Za-z]{2,60}, /,
  /: ([45]\d\d) \(/,
  /": ([45]\d\d)\b/,
  /\bstatus(?: code|_code)?(?: ?[:=] ?| is | of | )"?([45]\d\d)\b/i,
  /\bHTTP(?:\/\d(?:\.\d)?)?(?: (?:status|error|response|code))* ?[:=]? ?"?([45]\d\d)\b/i,
  /\berror(?: code)?[ :=]{1,3}([45]\d\d)\b/i,
  /"(?:code|status|statusCode)" ?: ?"?([45]\d\d)\b/i,
  /\b([45]\d\d)[: ]{1,2}"?(?:Bad|Unauthorized|Payment|Forbidden|Not |Method|Conflict|Gone|Precondition|Payload|Request|Unprocessable|Locked|Too |Internal|Service|Gateway|Server)/i,
];

/** Codes of an answer: at most that many of each form. */
const mostOfForm = 20;

/** The codes in a text, those of the more certain forms first; words that only look like codes are among the last. */
export function codesIn(text: string): readonly string[] {
  const found = forms.flatMap((form) =>
    [...text.matchAll(form)]
      .slice(0, mostOfForm)
      .flatMap(([, code]) => (code === undefined ? [] : [code.replaceAll(' ', '_')])),
  );
  return [...new Set(found)];
}

/** The HTTP status that a service answered with; undefined where the text has none. */
export function statusIn(text: string): number | undefined {
  const found = statuses.flatMap((form) => form.exec(text)?.[1] ?? [])[0];
  return found === undefined ? undefined : Number(found);
}
