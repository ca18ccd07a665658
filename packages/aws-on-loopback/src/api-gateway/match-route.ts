/** Which route a request is for: `METHOD /path/{variable}` and `{greedy+}`; a literal segment wins over a variable one. */

export interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

export interface Match<Route> {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** The best route; where only the method is wrong, those that are right; undefined where there is no such path. */
export function matchRoute<Route extends RoutePattern>(
  routes: readonly Route[],
  method: string,
  path: string,
): Match<Route> | { readonly allowed: readonly string[] } | undefined {
  const fitting = routes.flatMap((route) => {
    const pathParameters = parametersOf(route.path, path);
    return pathParameters ? [{ route, pathParameters }] : [];
  });
  const [best] = fitting
    .filter(({ route }) => route.method === method || route.method === 'ANY')
    .sort((one, other) => rank(one.route) - rank(other.route));
  if (best !== undefined || fitting.length === 0) return best;
  return { allowed: [...new Set(fitting.map((one) => one.route.method))].sort() };
}

const rank = ({ method, path }: RoutePattern): number =>
  (path.includes('+}') ? 1000 : 0) + path.split('{').length * 10 + (method === 'ANY' ? 1 : 0);

function parametersOf(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const parameters: Record<string, string> = {};
  for (const [place, segment] of wanted.entries()) {
    const [, name, greedy] = /^\{([\w-]+)(\+?)\}$/.exec(segment) ?? [];
    if (name !== undefined && greedy) {
      const rest = given.slice(place).join('/');
      if (rest === '') return undefined;
      return { ...parameters, [name]: decode(rest) };
    }
    const value = given[place];
    if (value === undefined || (name === undefined ? value !== segment : value === '')) return undefined;
    if (name !== undefined) parameters[name] = decode(value);
  }
  return given.length === wanted.length ? parameters : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
