"""The page in a real browser: nothing foreign runs or is loaded in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.instance import Instance

INJECT = """
async () => {
  const seen = [];
  document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
  const wait = (kind) => new Promise((done) => {
    const look = () => (seen.includes(kind) ? done() : setTimeout(look, 20));
    look();
  });
  const add = (html) => document.body.append(document.createRange().createContextualFragment(html));
  add('<img src="http://127.0.0.1:9/pixel.png">');
  await wait('img-src');
  add('<script>window.ran = true</' + 'script>');
  await wait('script-src-elem');
  add('<div onclick="window.ran = true" id="bait">x</div>');
  document.getElementById('bait').click();
  await wait('script-src-attr');
  add('<style>body { display: none }</style>');
  await wait('style-src-elem');
  add('<iframe src="http://127.0.0.1:9/"></iframe>');
  await wait('frame-src');
  let evaluated = false;
  try { evaluated = new Function('return true')(); } catch { /* as it should be */ }
  return { ran: window.ran === true, evaluated, shown: getComputedStyle(document.body).display !== 'none' };
}
"""


@pytest.fixture
def stranger(browser: Browser, patchbay: Instance) -> Iterator[Page]:
    """A page of somebody who is not signed in."""
    context = browser.new_context(base_url=patchbay.url, locale="en-US")
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Password", exact=True).wait_for()
    yield page
    context.close()


def test_what_is_put_into_the_page_neither_runs_nor_loads(stranger: Page) -> None:
    assert stranger.evaluate(INJECT) == {"ran": False, "evaluated": False, "shown": True}
