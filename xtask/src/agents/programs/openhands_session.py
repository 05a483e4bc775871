"""Plays one session with the OpenHands SDK in the current folder: its default agent, and the hooks of the project."""

import os
import sys

from openhands.sdk import LLM, Agent, Conversation
from openhands.sdk.hooks import HookConfig
from openhands.tools.preset.default import get_default_condenser, get_default_tools, register_builtins_agents
from pydantic import SecretStr

prompt, model_url, guard = sys.argv[1:]
folder = os.getcwd()
llm = LLM(model="openai/scripted", base_url=model_url, api_key=SecretStr("scripted"), usage_id="agent")
register_builtins_agents(enable_browser=False)
agent = Agent(
    llm=llm,
    tools=get_default_tools(enable_browser=False, enable_sub_agents=True),
    condenser=get_default_condenser(llm.model_copy(update={"usage_id": "condenser"})),
)
conversation = Conversation(
    agent=agent,
    workspace=folder,
    # The project first, then the user: what programs built on the SDK do.
    hook_config=HookConfig.load(working_dir=folder),
    stuck_detection=guard == "own-guard",
)
conversation.send_message(prompt)
conversation.run()
print(conversation.state.execution_status)
conversation.close()
