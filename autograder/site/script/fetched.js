// A file's response. A web page in its place, such as a network's login, is a failure. All scripts use this.
const fetched = async (url, options) => {
  const answer = await fetch(url, options);
  const isPage = !url.endsWith(".html") && answer.headers.get("content-type")?.startsWith("text/html");
  if (!answer.ok || isPage) throw new Error(`${answer.url}: ${answer.ok ? "a web page" : answer.status}`);
  return answer;
};
