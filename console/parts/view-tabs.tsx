/** Views of one page, each with its address. */
import { hrefOf } from '../routes.ts';

interface ViewTabsProps {
  readonly place: readonly string[];
  /** Titles by the last part of the address. */
  readonly views: Readonly<Record<string, string>>;
  readonly current: string;
}

export function ViewTabs({ place, views, current }: ViewTabsProps) {
  return (
    <nav className="tabs" aria-label="Views">
      {Object.entries(views).map(([id, title]) => (
        <a key={id} href={hrefOf([...place, id])} aria-current={id === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
