import { h } from "preact";
import { Text } from "./text.js";

/** What each reason means and what to do; docs/OPERATIONS.md has the same ones, which a test holds. */
export const reasons: Record<string, { means: string; todo: string }> = {
  index_missing: { means: "The project has no index that can be read.", todo: 'Run "indexer index DIR", or wait for the daemon.' },
  index_building: { means: "Its first index is being made.", todo: "Ask again in a moment." },
  index_stale: { means: "Changes wait for over a minute, or the last refresh failed.", todo: 'Run "indexer doctor": a stopped daemon, or a failing run.' },
  vectors_building: { means: "The first large index in Redis can be searched by words; its vectors are still being put in order.", todo: "Nothing: it ends by itself, within minutes." },
  changes_waiting: { means: "Files changed that the answer does not know of yet.", todo: 'Ask again in a second; where it stays, run "indexer doctor".' },
  backlog: { means: "Too many projects or changes wait.", todo: "Let the daemon catch up, or start one more." },
  store_full: { means: "Redis or the disk is full; changes wait.", todo: 'Make room: raise maxmemory, lower --max-state-bytes, or run "indexer reset --project ID".' },
  generation_behind: { means: "The index did not reach the generation that was asked for in time.", todo: "Ask again with a longer deadline; see \"Read your writes\" in docs/API.md." },
  redis_unreachable: { means: "Redis is down, loading, or refuses.", todo: 'Run "indexer doctor".' },
  redis_auth: { means: "User or password of Redis is wrong.", todo: "Put it right in CONTEXTD_REDIS." },
  search_unsupported: { means: "Only file names can be searched: this Redis has no RediSearch.", todo: "Use Redis 8, or --redis off." },
  embedder_unavailable: { means: "The question has no vector; the answer goes by words.", todo: "Give both binaries the same --embedder, and check its server." },
  deadline: { means: "What had arrived by the deadline was used.", todo: "Give a longer deadline; the first query after a pause is slower." },
  state_rebuilt: { means: "The index was damaged and was rebuilt.", todo: "Nothing; if it comes again, look at the disk." },
  memory_unavailable: { means: "The memory did not answer in time.", todo: 'Run "indexer doctor" and check documents.' },
  history_unavailable: { means: "The history did not answer in time.", todo: 'Run "indexer doctor" and check documents.' },
  usage_unavailable: { means: "What was used before is not known.", todo: 'Run "indexer doctor" and check documents.' },
  learning_unavailable: { means: "What outcomes say about the profile is not known; its own numbers held.", todo: 'Run "indexer doctor" and check documents.' },
  retrieval_off: { means: "Finding code was slow three times in a row, so code is left out for a while.", todo: 'Run "indexer doctor"; --slow-retrieval sets the limit.' },
  receipt_not_stored: { means: "This context cannot be explained later.", todo: 'Run "indexer doctor" and check documents.' },
  dedup_by_words: { means: "No embedder answered; the conversation was compared word by word.", todo: "Check the embedder." },
  budget: { means: "What was found has no room in the budget.", todo: "Ask with a larger budget_tokens." },
};

export function Reasons({ list }: { list: string[] }) {
  if (list.length === 0) return null;
  return (
    <ul class="reasons">
      {list.map((r) => (
        <li key={r}>
          <code>
            <Text>{r}</Text>
          </code>{" "}
          {reasons[r] ? `${reasons[r].means} ${reasons[r].todo}` : "docs/OPERATIONS.md says what to do."}
        </li>
      ))}
    </ul>
  );
}
