"""What clients of agents are told in sentences of their own, beside those of errors, in both languages."""

from __future__ import annotations

_WORDS: dict[str, tuple[str, str]] = {
    "no_agent": ("There is no agent at this address.", "此地址没有智能体。"),
    "no_task": ("There is no such task.", "没有这个任务。"),
    "parts": ("A message has at most {most} parts; this one has {n}.", "一条消息最多 {most} 个部分，这条有 {n} 个。"),
    "role": ("A client's message has the role ROLE_USER.", "客户端消息的角色必须是 ROLE_USER。"),
    "long_id": ("{name} has at most {most} characters.", "{name} 最多 {most} 个字符。"),
    "not_text": (
        "The agent takes no text, or cannot tell for which input it is. Send a data part with its inputs: {inputs}.",
        "该智能体不接受文本，或无法判断文本对应哪个输入。请发送包含其输入的数据部分：{inputs}。",
    ),
    "not_data": (
        "The agent is a chat: it takes text and files, no data.",
        "该智能体是聊天：只接受文本和文件，不接受数据。",
    ),
    "not_file": ("The agent takes no files.", "该智能体不接受文件。"),
    "context": (
        "The task belongs to another context than contextId says.",
        "任务所属的上下文与 contextId 不一致。",
    ),
    "ended": (
        "The task has ended and takes no more messages. Send one without taskId to start another.",
        "任务已结束，不再接收消息。请发送不带 taskId 的消息以开始新任务。",
    ),
    "asks_nothing": (
        "The task asks nothing at the moment, so there is nothing that a message could answer.",
        "任务当前没有提问，消息无从回答。",
    ),
    "person": ("A person decides this, here: {url}", "这需要由人决定：{url}"),
    "answer_here": ("People can also answer here: {url}", "也可以在此处回答：{url}"),
    "question": ("The task does not ask this question, or not any more.", "任务没有提出这个问题，或已不再需要回答。"),
    "paused": ("Paused. A person lets it go on here: {url}", "已暂停。可由人在此处继续：{url}"),
    "not_open": ("The task has ended; GetTask says how.", "任务已结束；结果请用 GetTask 查询。"),
    "page_size": ("pageSize must be between 1 and {most}.", "pageSize 必须在 1 到 {most} 之间。"),
    "page_token": ("pageToken is none that was given here.", "pageToken 不是此处给出的。"),
    "history": ("historyLength must not be negative.", "historyLength 不能为负数。"),
    "no_push": (
        "Push notifications are not sent. Subscribe to the task, or ask for it.",
        "不发送推送通知。请订阅任务或主动查询。",
    ),
    "no_extended": ("There is no other card for those who are signed in.", "没有供登录者使用的其他名片。"),
    "inputs": ("Inputs:", "输入："),
    "needed": ("required", "必填"),
    "bearer": (
        "An API token of a member of the team, with the scope run (and answer, to answer what tasks ask).",
        "团队成员的 API 令牌，需要 run 权限范围（回答任务的提问还需要 answer）。",
    ),
    "oauth": (
        "A member allows the client in the browser; the token opens this address and nothing else. Name the agent's "
        "address as the resource.",
        "由成员在浏览器中允许客户端；令牌只能访问此地址。请将智能体的地址作为 resource 给出。",
    ),
    "scope_read": ("read the agent's card", "读取智能体名片"),
    "scope_run": ("give the agent tasks, follow and cancel them", "向智能体布置任务，跟踪并取消任务"),
    "scope_answer": ("answer what tasks ask", "回答任务的提问"),
    "too_deep": ("The body is no JSON that can be read.", "请求体不是可读取的 JSON。"),
}


def word(key: str, language: str, **values: object) -> str:
    """A sentence in "en" or "zh"."""
    return _WORDS[key][1 if language == "zh" else 0].format(**values)
