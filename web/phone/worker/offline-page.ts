/**
 * The page shown when the app is opened while the server cannot be reached. It reloads itself as soon as the server
 * responds. Complete in one response: nothing of a release is cached, so no release can be outdated.
 */
export function offlinePage(): Response {
  const nonce = crypto.randomUUID()
  const policy =
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; ` +
    `base-uri 'none'; form-action 'none'`
  return new Response(html(nonce), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
    },
  })
}

const html = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Reconnecting… · Hookswitch</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; --back: #fff; --text: #1b2127; --dimmed: #5b6672; --ring: #d2ebe9; --mark: #0b7a75 }
@media (prefers-color-scheme: dark) { :root { --back: #161b21; --text: #d7dce2; --dimmed: #8f99a4; --ring: #2b333c; --mark: #36a39c } }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 16px; text-align: center;
  padding: 24px; box-sizing: border-box; background: var(--back); color: var(--text);
  font: 16px/1.5 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
h1 { font-size: 20px; font-weight: 650; margin: 0 }
p { margin: 0; max-width: 320px; color: var(--dimmed); font-size: 14px }
i { width: 28px; height: 28px; border: 3px solid var(--ring); border-top-color: var(--mark); border-radius: 50%; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { i { animation: none } }
</style>
</head>
<body>
<i aria-hidden="true"></i>
<main role="status"><h1>Reconnecting…</h1></main>
<p>The server cannot be reached. The phone opens when the connection is back.</p>
<script nonce="${nonce}">
let pause = 1000, timer
async function probe() {
  clearTimeout(timer)
  try {
    const { status } = await fetch('/app/v1/session', { cache: 'no-store', signal: AbortSignal.timeout(8000) })
    if (status < 502 || status > 504) return location.reload()
  } catch {}
  timer = setTimeout(probe, pause * (0.75 + Math.random() / 2))
  pause = Math.min(pause * 2, 10000)
}
addEventListener('online', probe)
document.addEventListener('visibilitychange', () => document.hidden || probe())
timer = setTimeout(probe, pause)
</script>
</body>
</html>
`
